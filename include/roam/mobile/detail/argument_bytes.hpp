// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iterator>
#include <span>

namespace roam::mobile::detail {

/// Bytes of an argument of a call, for who counts what objects send each other: of an array, those
/// of its elements.
template <class T>
[[nodiscard]] std::size_t argument_bytes(const T& argument) {
  if constexpr (std::ranges::contiguous_range<const T> && std::ranges::sized_range<const T>) {
    return std::ranges::size(argument) * sizeof(std::ranges::range_value_t<const T>);
  } else {
    return sizeof argument;
  }
}

}  // namespace roam::mobile::detail
