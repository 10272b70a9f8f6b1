#pragma once

#include <cstdint>

#include "parkbench/base/error.hpp"

namespace parkbench::reactive {

/// What the exception being handled means as an Error: a Failure keeps its code, all else is internal. Only within
/// a catch block.
Error error_of_exception() noexcept;

/// Called with each error that no subscriber can take any more (rules 2.13, 1.7): the stream had ended, nobody gave an
/// on_error, or the subscriber's own callback threw. Must not throw.
using DroppedErrorHook = void (*)(const Error& error);
/// Replaces the hook, which by default does nothing. @return the one before.
DroppedErrorHook set_dropped_error_hook(DroppedErrorHook hook);
/// Counts the error and calls the hook.
void drop_error(const Error& error) noexcept;
/// Errors dropped in this process so far.
std::uint64_t dropped_errors();

}  // namespace parkbench::reactive
