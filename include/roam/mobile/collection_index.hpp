// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>

namespace roam {

/// The place of an element in a collection of D dimensions: D coordinates from 0. It is made from
/// any integers: `grid[{i, j}]`, or in one dimension `line[i]`. Copied as bytes; ordered by the
/// first coordinate first.
template <int D>
class Index {
  static_assert(D >= 1 && D <= 3, "collections have one to three dimensions");

 public:
  constexpr Index() = default;
  /// Makes an index from D integers, also implicitly; an integer that does not fit 64 bits wraps
  /// around.
  template <std::integral... I>
    requires(sizeof...(I) == D)
  constexpr Index(I... coordinates)  // NOLINT: implicit, for grid[{i, j}] and line[i]
      : at_{static_cast<std::int64_t>(coordinates)...} {}

  [[nodiscard]] constexpr std::int64_t operator[](int dimension) const {
    return at_[static_cast<std::size_t>(dimension)];
  }
  [[nodiscard]] constexpr std::int64_t& operator[](int dimension) {
    return at_[static_cast<std::size_t>(dimension)];
  }
  friend constexpr auto operator<=>(const Index&, const Index&) = default;

 private:
  std::array<std::int64_t, static_cast<std::size_t>(D)> at_{};
};

/// The index as text: "(2, 3)".
template <int D>
[[nodiscard]] std::string to_string(const Index<D>& index) {
  std::string text = "(";
  for (int d = 0; d < D; ++d) text += (d == 0 ? "" : ", ") + std::to_string(index[d]);
  return text + ")";
}

/// An index with the same number in every coordinate.
template <int D>
[[nodiscard]] constexpr Index<D> uniform_index(std::int64_t coordinate) {
  Index<D> index;
  for (int d = 0; d < D; ++d) index[d] = coordinate;
  return index;
}

/// The indices from `lower` up to, not including, `upper`, in steps of `stride`. Indices outside of
/// the collection are ignored.
template <int D>
struct Box {
  Index<D> lower;                         ///< the first index
  Index<D> upper;                         ///< one past the last, in each coordinate
  Index<D> stride = uniform_index<D>(1);  ///< at least 1 in each coordinate
  friend constexpr bool operator==(const Box&, const Box&) = default;
};

/// Which elements are neighbours: those that share a face (von Neumann neighbourhood), or at least
/// a corner (Moore neighbourhood).
enum class Neighbourhood : std::uint8_t { faces, corners };
/// What lies beyond the edge of a collection: nothing, or the opposite edge.
enum class Edges : std::uint8_t { open, periodic };

/// The neighbours of one index, in increasing order of the offsets to them. A small vector.
template <int D>
class Neighbours {
 public:
  [[nodiscard]] constexpr const Index<D>* begin() const { return indices_.data(); }
  [[nodiscard]] constexpr const Index<D>* end() const { return indices_.data() + count_; }
  [[nodiscard]] constexpr std::size_t size() const { return count_; }
  [[nodiscard]] constexpr const Index<D>& operator[](std::size_t i) const { return indices_[i]; }
  /// Adds an index unless it is there already, as can be where the edges are periodic and close to
  /// each other.
  constexpr void add(const Index<D>& index) {
    for (std::size_t i = 0; i < count_; ++i) {
      if (indices_[i] == index) return;
    }
    indices_[count_++] = index;
  }

 private:
  static constexpr std::size_t most = D == 1 ? 2 : D == 2 ? 8 : 26;
  std::array<Index<D>, most> indices_{};
  std::size_t count_ = 0;
};

/// The neighbours of an index in a collection of this extent; never the index itself.
template <int D>
[[nodiscard]] constexpr Neighbours<D> neighbours_of(const Index<D>& index, const Index<D>& extent,
                                                    Neighbourhood kind = Neighbourhood::faces,
                                                    Edges edges = Edges::open) {
  Neighbours<D> found;
  int offsets = 1;
  for (int d = 0; d < D; ++d) offsets *= 3;
  for (int code = 0; code < offsets; ++code) {
    Index<D> other = index;
    int moved = 0;
    bool is_inside = true;
    int rest = code;
    for (int d = D - 1; d >= 0; --d, rest /= 3) {
      other[d] += rest % 3 - 1;
      moved += rest % 3 != 1 ? 1 : 0;
      if (edges == Edges::periodic) {
        other[d] = (other[d] + extent[d]) % extent[d];
      } else {
        is_inside = is_inside && other[d] >= 0 && other[d] < extent[d];
      }
    }
    if (!is_inside || other == index || (kind == Neighbourhood::faces && moved > 1)) continue;
    found.add(other);
  }
  return found;
}

}  // namespace roam
