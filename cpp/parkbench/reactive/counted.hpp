#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace parkbench::reactive {

/// Something that counts who refers to it and ends itself with the last reference.
class Counted {
 public:
  virtual void retain() const noexcept = 0;
  virtual void release() const noexcept = 0;

 protected:
  ~Counted() = default;
};

/// One reference to a Counted object.
template <class T>
class Ref {
 public:
  Ref() = default;
  Ref(std::nullptr_t) {}  // NOLINT(google-explicit-constructor)
  explicit Ref(T* object) : object_(object) {
    if (object_ != nullptr) object_->retain();
  }
  Ref(const Ref& other) : Ref(other.object_) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <class U>
    requires(std::is_convertible_v<U*, T*> && !std::is_same_v<U, T>)
  Ref(Ref<U> other) : object_(other.leak()) {}  // NOLINT(google-explicit-constructor)
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() { reset(); }

  /// Takes over a reference that was counted before (the one an object is born with, or one from leak()).
  static Ref adopt(T* object) {
    Ref ref;
    ref.object_ = object;
    return ref;
  }
  /// Gives the reference away uncounted; whoever has the pointer adopts it.
  T* leak() { return std::exchange(object_, nullptr); }
  void reset() {
    if (T* object = leak()) object->release();
  }

  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  T* object_ = nullptr;
};

/// Implements the count once for all interfaces that an object has. It is born with one reference.
template <class... Interfaces>
class Node : public Interfaces... {
 public:
  Node() = default;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  virtual ~Node() = default;

  void retain() const noexcept final { count_.fetch_add(1, std::memory_order_relaxed); }
  void release() const noexcept final {
    // A sole owner needs no read-modify-write: nobody else can be counting. Saves a locked instruction per object.
    if (count_.load(std::memory_order_acquire) == 1 || count_.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy();
  }

 private:
  // Out of line: g++ 12 otherwise sees a use after free behind each release that cannot be the last one.
  [[gnu::noinline]] void destroy() const noexcept { delete this; }

  mutable std::atomic<std::uint32_t> count_{1};
};

/// A member that has an interface of its own but is counted as part of the whole, so it needs no allocation.
template <class Whole, class Interface>
class Part : public Interface {
 public:
  explicit Part(Whole& whole) : whole_(whole) {}
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  void retain() const noexcept final { whole_.retain(); }
  void release() const noexcept final { whole_.release(); }

 protected:
  ~Part() = default;
  Whole& whole_;
};

template <class T, class... Args>
Ref<T> make_ref(Args&&... args) {
  return Ref<T>::adopt(new T(std::forward<Args>(args)...));
}

}  // namespace parkbench::reactive
