// SPDX-License-Identifier: Apache-2.0
#include "block.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace jacobi {

namespace {

/// The initial temperature.
template <int D>
double start_at(const std::array<std::int64_t, D>& at) {
  double value = std::sin(0.37 * static_cast<double>(at[0]));
  value += std::cos(0.11 * static_cast<double>(at[1]));
  if constexpr (D == 3) value += std::sin(0.23 * static_cast<double>(at[2]));
  return value;
}

std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ (bits >> 31)) * 0x7fb5d329728ea185ULL;
  return bits ^ (bits >> 27);
}

}  // namespace

template <int D>
std::size_t Block<D>::stride(std::size_t d) const {
  std::size_t stride = 1;
  for (std::size_t e = d + 1; e < D; ++e) stride *= static_cast<std::size_t>(extent_[e] + 2);
  return stride;
}

template <int D>
template <class Act>
void Block<D>::for_rows(const Act& act) const {
  Coordinates at{};
  const std::size_t first = stride(D - 1);
  for (at[0] = 0; at[0] < extent_[0]; ++at[0]) {
    const std::size_t of_first = static_cast<std::size_t>(at[0] + 1) * stride(0);
    if constexpr (D == 2) {
      act(of_first + first, at);
    } else {
      for (at[1] = 0; at[1] < extent_[1]; ++at[1])
        act(of_first + static_cast<std::size_t>(at[1] + 1) * stride(1) + first, at);
    }
  }
}

template <int D>
template <class Act>
void Block<D>::for_layer(std::size_t d, std::int64_t layer, const Act& act) const {
  const std::size_t base = static_cast<std::size_t>(layer + 1) * stride(d);
  const std::size_t slow = d == 0 ? 1 : 0;  // the first one of the other directions
  const std::size_t fast = d == D - 1 ? D - 2 : D - 1;
  for (std::int64_t i = 0; i < (D == 2 ? 1 : extent_[slow]); ++i) {
    const std::size_t of_slow =
        D == 2 ? base : base + static_cast<std::size_t>(i + 1) * stride(slow);
    const std::size_t step = stride(fast);
    for (std::size_t j = 1; j <= static_cast<std::size_t>(extent_[fast]); ++j)
      act(of_slow + j * step);
  }
}

template <int D>
Block<D>::Block(const Coordinates& begin, const Coordinates& extent, const Coordinates& plate)
    : begin_(begin), extent_(extent), plate_(plate) {
  cells_.resize(static_cast<std::size_t>(extent[0] + 2) * stride(0));
  for_rows([&](std::size_t place, Coordinates at) {
    for (std::size_t d = 0; d < D; ++d) at[d] += begin_[d];
    for (std::int64_t j = 0; j < extent_[D - 1]; ++j, ++at[D - 1])
      cells_[place++] = start_at<D>(at);
  });
}

template <int D>
bool Block<D>::is_edge(std::size_t side) const {
  const std::size_t d = side / 2;
  return side % 2 == 0 ? begin_[d] == 0 : begin_[d] + extent_[d] == plate_[d];
}

template <int D>
void Block<D>::copy_face(std::size_t side, Face& face) const {
  if (is_edge(side)) return face.clear();
  const std::size_t d = side / 2;
  std::size_t count = 1;
  for (std::size_t e = 0; e < D; ++e) count *= e == d ? 1 : static_cast<std::size_t>(extent_[e]);
  face.resize(count);
  double* value = face.data();
  for_layer(d, side % 2 == 0 ? 0 : extent_[d] - 1,
            [&](std::size_t place) { *value++ = cells_[place]; });
}

template <int D>
void Block<D>::set_beyond(std::size_t side, const Face& face) {
  if (face.empty()) return;  // the edge of the plate: always 0
  const std::size_t d = side / 2;
  const double* value = face.data();
  for_layer(d, side % 2 == 0 ? -1 : extent_[d],
            [&](std::size_t place) { cells_[place] = *value++; });
}

template <int D>
double Block<D>::relax(const std::array<const Face*, 2 * D>& beyond) {
  for (std::size_t side = 0; side < sides; ++side) set_beyond(side, *beyond[side]);
  next_.resize(cells_.size());
  double change = 0;
  const std::size_t down = stride(0);
  [[maybe_unused]] const std::size_t along = stride(1);
  const auto count = static_cast<std::size_t>(extent_[D - 1]);
  constexpr double part = 1.0 / (2 * D);
  for_rows([&](std::size_t place, const Coordinates& /*at*/) {
    const double* const now = &cells_[place];
    double* const then = &next_[place];
    for (std::size_t j = 0; j < count; ++j) {
      double sum = *(now + j - down) + now[j + down];
      if constexpr (D == 3) sum = (sum + *(now + j - along)) + now[j + along];
      then[j] = part * ((sum + *(now + j - 1)) + now[j + 1]);
    }
    for (std::size_t j = 0; j < count; ++j) change = std::max(change, std::abs(then[j] - now[j]));
  });
  cells_.swap(next_);
  return change;
}

template <int D>
std::uint64_t Block<D>::fingerprint() const {
  std::uint64_t sum = 0;
  for_rows([&](std::size_t place, Coordinates at) {
    for (std::size_t d = 0; d < D; ++d) at[d] += begin_[d];
    for (std::int64_t j = 0; j < extent_[D - 1]; ++j, ++at[D - 1]) {
      std::uint64_t where = 0;
      for (std::size_t d = 0; d < D; ++d)
        where = where * 1'000'003 + static_cast<std::uint64_t>(at[d]);
      sum += mixed(std::bit_cast<std::uint64_t>(cells_[place++]) ^ mixed(where + 1));
    }
  });
  return sum;
}

template class Block<2>;
template class Block<3>;

}  // namespace jacobi
