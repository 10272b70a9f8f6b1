#pragma once

#include <functional>
#include <utility>

#include "parkbench/reactive/callback.hpp"
#include "parkbench/reactive/streams.hpp"

namespace parkbench::reactive {

/// Calls a user function that returns a Mono<T>. Null when it threw or returned one that was moved from; error says so.
template <class T, class F, class... Args>
Ref<Publisher<T>> publisher_from(Error& error, F& f, Args&&... args) noexcept {
  try {
    Ref<Publisher<T>> made = std::invoke(f, std::forward<Args>(args)...).publisher();
    if (!made) error = {ErrorCode::internal, "a function returned a Mono that was moved from"};
    return made;
  } catch (...) {
    error = error_of_exception();
    return nullptr;
  }
}

}  // namespace parkbench::reactive
