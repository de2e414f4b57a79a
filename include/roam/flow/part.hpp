// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "roam/flow/handle.hpp"

namespace roam::flow {

/// @cond
namespace detail {

template <class T>
concept MakesParts = requires(T& value, std::size_t index) {
  value.part(index, index);
};
template <class T>
concept IsContiguous = requires(T& value) {
  *value.data();
  { value.size() } -> std::convertible_to<std::size_t>;
};

/// Throws Error that names the part and the datum.
[[noreturn]] void refuse_part(const DatumLabel& label, std::size_t begin, std::size_t end,
                              const std::string& why);

/// A view of elements [begin, end) of a datum's value.
template <class T>
  requires(MakesParts<T> || IsContiguous<T>)
[[nodiscard]] auto part_of(T& value, std::size_t begin, std::size_t end, const DatumLabel& label) {
  if constexpr (MakesParts<T>) {
    return value.part(begin, end);
  } else {
    const auto size = static_cast<std::size_t>(value.size());
    if (end > size)
      refuse_part(label, begin, end, "which has " + std::to_string(size) + " elements");
    return std::span(value.data() + begin, end - begin);
  }
}

template <class T>
concept HasParts = MakesParts<T> || IsContiguous<T>;
/// The types of parts of T: what a body is given to modify, and to read.
template <class T>
using ModifiedPart = decltype(part_of(std::declval<T&>(), 0, 0, std::declval<DatumLabel&>()));
template <class T>
using ReadPart = decltype(part_of(std::declval<const T&>(), 0, 0, std::declval<DatumLabel&>()));

}  // namespace detail
/// @endcond

/// A part of a datum as argument of a task: Handle::part(). The task's parameter is std::span<E>,
/// by which it modifies the elements of the part, or std::span<const E>, by which it reads them;
/// for a class with members part(begin, end), what these return. T is as in Handle<T>.
template <class T>
class Part {
 public:
  /// @cond
  Part(Handle<T> handle, std::size_t begin, std::size_t end)
      : handle_(std::move(handle)), begin_(begin), end_(end) {
    if (begin > end)
      detail::refuse_part(handle_.datum()->label(), begin, end, "which ends before it begins");
  }
  [[nodiscard]] Datum* datum() const { return handle_.datum(); }
  /// @endcond
  /// The first index.
  [[nodiscard]] std::size_t begin() const { return begin_; }
  /// One more than the last index.
  [[nodiscard]] std::size_t end() const { return end_; }

 private:
  Handle<T> handle_;
  std::size_t begin_;
  std::size_t end_;
};

template <class T>
Part<T> Handle<T>::part(std::size_t begin, std::size_t end) const {
  static_assert(detail::HasParts<Value> && detail::HasParts<const Value>,
                "parts of a datum: its class has members data() and size(), like std::vector, or "
                "part(begin, end)");
  return Part<T>(*this, begin, end);
}

}  // namespace roam::flow
