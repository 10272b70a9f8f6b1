#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace parkbench {

template <class Signature>
class UniqueFunction;

/// A callable that is moved, never copied (std::move_only_function comes with C++23).
template <class R, class... Args>
class UniqueFunction<R(Args...)> {
 public:
  UniqueFunction() = default;

  template <class F>
    requires(!std::is_same_v<std::decay_t<F>, UniqueFunction> && std::is_invocable_r_v<R, F&, Args...>)
  UniqueFunction(F&& f)  // NOLINT(google-explicit-constructor): as std::function
      : callable_(std::make_unique<Model<std::decay_t<F>>>(std::forward<F>(f))) {}

  R operator()(Args... args) { return callable_->call(std::forward<Args>(args)...); }
  explicit operator bool() const { return callable_ != nullptr; }

 private:
  struct Concept {
    virtual ~Concept() = default;
    virtual R call(Args... args) = 0;
  };
  template <class F>
  struct Model final : Concept {
    explicit Model(F f) : f_(std::move(f)) {}
    R call(Args... args) override { return f_(std::forward<Args>(args)...); }
    F f_;
  };
  std::unique_ptr<Concept> callable_;
};

}  // namespace parkbench
