// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iterator>
#include <span>

namespace roam::mobile::detail {

/// The size of an argument of a call in bytes (of an array: of its elements), for counting what
/// objects send each other.
template <class T>
[[nodiscard]] std::size_t argument_bytes(const T& argument) {
  if constexpr (std::ranges::contiguous_range<const T> && std::ranges::sized_range<const T>) {
    return std::ranges::size(argument) * sizeof(std::ranges::range_value_t<const T>);
  } else {
    return sizeof argument;
  }
}

}  // namespace roam::mobile::detail
