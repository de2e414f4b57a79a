// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace roam::core {

/// A pointer that owns its object, or array (T[]), as std::unique_ptr does. `Release` is a class
/// without state that destroys the object in place of delete. Roam's headers use it because each
/// type that libstdc++'s std::unique_ptr is used with makes the compiler instantiate a std::tuple
/// (`clang++ -ftime-trace` shows it). The test compile.ten_lines limits what a program pays for the
/// headers.
template <class T, class Release = void>
class Owned {
 public:
  using Element = std::remove_extent_t<T>;

  Owned() = default;
  /// An empty pointer.
  Owned(std::nullptr_t) {}
  explicit Owned(Element* object) : object_(object) {}
  Owned(Owned&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  /// Takes over an object of a class derived from T.
  template <class U>
  Owned(Owned<U, Release>&& other) noexcept : object_(other.release()) {}
  template <class U, class D>
  Owned(std::unique_ptr<U, D>&& other) noexcept : object_(other.release()) {}
  Owned& operator=(Owned&& other) noexcept {
    reset(other.release());
    return *this;
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { give_up(object_); }

  [[nodiscard]] Element* get() const { return object_; }
  [[nodiscard]] Element* operator->() const { return object_; }
  [[nodiscard]] Element& operator*() const { return *object_; }
  [[nodiscard]] Element& operator[](std::size_t index) const { return object_[index]; }
  [[nodiscard]] explicit operator bool() const { return object_ != nullptr; }
  [[nodiscard]] bool operator==(std::nullptr_t) const { return object_ == nullptr; }
  [[nodiscard]] Element* release() { return std::exchange(object_, nullptr); }
  void reset(Element* object = nullptr) { give_up(std::exchange(object_, object)); }

 private:
  static void give_up(Element* object) {
    if (object == nullptr) return;
    if constexpr (!std::is_void_v<Release>) {
      Release{}(object);
    } else if constexpr (std::is_array_v<T>) {
      delete[] object;
    } else {
      // NOLINTNEXTLINE(bugprone-sizeof-expression): the question is whether T has a size.
      static_assert(sizeof(T) > 0, "the class is known where its object is given up");
      delete object;
    }
  }

  Element* object_ = nullptr;
};

template <class T, class... A>
[[nodiscard]] Owned<T> make_owned(A&&... arguments) {
  return Owned<T>(new T(std::forward<A>(arguments)...));
}

}  // namespace roam::core
