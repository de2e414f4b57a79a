// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <span>

#include "roam/core/error.hpp"
#include "roam/mobile/collection_index.hpp"

namespace roam::flow {

/// @cond
namespace detail {

/// The number of elements around one in D dimensions.
template <int D>
inline constexpr std::size_t all_around = D == 1   ? 2
                                          : D == 2 ? 8
                                                   : 26;
template <int D>
inline constexpr std::size_t faces_around = 2 * D;

/// The offsets of N elements around one, smaller coordinates first: of all, or of those that share
/// a face with it.
template <int D, std::size_t N>
[[nodiscard]] constexpr std::array<Index<D>, N> make_offsets() {
  std::array<Index<D>, N> offsets;
  std::size_t next = 0;
  for (std::size_t code = 0; code <= all_around<D>; ++code) {
    Index<D> offset;
    std::size_t left = code;
    std::int64_t length = 0;
    for (int d = D - 1; d >= 0; --d) {
      offset[d] = static_cast<std::int64_t>(left % 3) - 1;
      length += offset[d] * offset[d];
      left /= 3;
    }
    if (length == 1 || (length > 1 && N == all_around<D>)) offsets[next++] = offset;
  }
  return offsets;
}
template <int D, std::size_t N>
inline constexpr std::array<Index<D>, N> neighbour_offsets = make_offsets<D, N>();

}  // namespace detail
/// @endcond

/// A parameter of a task of for_each that is given Collection::faces() or neighbours(): the values
/// of the elements around the task's own, to be read while the task runs. They are ordered by their
/// offsets, the first coordinate first.
template <class T, int D>
class Neighbours {
 public:
  /// @cond
  Neighbours(std::span<const T* const> values, const Index<D>* offsets)
      : values_(values), offsets_(offsets) {}
  /// @endcond
  /// Their number.
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  /// The value of the i-th.
  [[nodiscard]] const T& operator[](std::size_t i) const { return *values_[i]; }
  /// The offset of the i-th from the task's own element.
  [[nodiscard]] const Index<D>& offset(std::size_t i) const { return offsets_[i]; }
  /// The value of the one at this offset, as in `in.at(-1, 0)`. Throws Error if it is none of them.
  template <std::integral... I>
    requires(sizeof...(I) == D)
  [[nodiscard]] const T& at(I... offset) const {
    const Index<D> wanted(offset...);
    for (std::size_t i = 0; i < size(); ++i) {
      if (offsets_[i] == wanted) return *values_[i];
    }
    throw Error("offset " + to_string(wanted) + " is not among the neighbours");
  }

 private:
  std::span<const T* const> values_;
  const Index<D>* offsets_;
};

}  // namespace roam::flow
