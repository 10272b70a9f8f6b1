#include "parkbench/reactive/callback.hpp"

#include <atomic>
#include <exception>
#include <new>

namespace parkbench::reactive {
namespace {

std::atomic<DroppedErrorHook> dropped_hook{nullptr};
std::atomic<std::uint64_t> dropped_count{0};

}  // namespace

Error error_of_exception() noexcept {
  try {
    throw;
  } catch (const Failure& failure) {
    return failure.error();
  } catch (const std::bad_alloc&) {
    return {ErrorCode::out_of_memory, "there was no memory for the request"};
  } catch (const std::exception& exception) {
    return {ErrorCode::internal, exception.what()};
  } catch (...) {
    return {ErrorCode::internal, "a callback threw something that is no std::exception"};
  }
}

DroppedErrorHook set_dropped_error_hook(DroppedErrorHook hook) { return dropped_hook.exchange(hook); }

void drop_error(const Error& error) noexcept {
  dropped_count.fetch_add(1, std::memory_order_relaxed);
  if (DroppedErrorHook hook = dropped_hook.load()) hook(error);
}

std::uint64_t dropped_errors() { return dropped_count.load(std::memory_order_relaxed); }

}  // namespace parkbench::reactive
