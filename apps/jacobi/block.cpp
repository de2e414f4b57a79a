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
  const std::size_t base = static_cast<std::size_t>(layer + 1) * stride(d) + stride(D - 1);
  if constexpr (D == 2) {
    act(base);
  } else {
    const std::size_t other = 1 - d;
    for (std::int64_t i = 1; i <= extent_[other]; ++i)
      act(base + static_cast<std::size_t>(i) * stride(other));
  }
}

template <int D>
Block<D>::Block(const Coordinates& begin, const Coordinates& extent, const Coordinates& plate)
    : begin_(begin), extent_(extent), plate_(plate) {
  cells_.resize(static_cast<std::size_t>(extent[0] + 2) * stride(0));
  double* first = make_ends();
  for_rows([&](std::size_t place, Coordinates at) {
    for (std::size_t d = 0; d < D; ++d) at[d] += begin_[d];
    double* const now = &cells_[place];
    for (std::int64_t j = 0; j < extent_[D - 1]; ++j, ++at[D - 1]) now[j] = start_at<D>(at);
    first = keep_ends(now, first);
  });
}

template <int D>
std::size_t Block<D>::rows() const {
  std::size_t rows = 1;
  for (std::size_t d = 0; d + 1 < D; ++d) rows *= static_cast<std::size_t>(extent_[d]);
  return rows;
}

template <int D>
double* Block<D>::make_ends() {
  ends_.resize(2 * rows());
  return ends_.data();
}

template <int D>
double* Block<D>::keep_ends(const double* row, double* first) const {
  *first = row[0];
  first[rows()] = row[extent_[D - 1] - 1];
  return first + 1;
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
  if (d == D - 1) {
    const double* const first = ends_.data() + (side % 2) * rows();
    face.assign(first, first + rows());
    return;
  }
  const auto count = static_cast<std::size_t>(extent_[D - 1]);
  face.resize(D == 2 ? count : count * static_cast<std::size_t>(extent_[1 - d]));
  double* value = face.data();
  for_layer(d, side % 2 == 0 ? 0 : extent_[d] - 1,
            [&](std::size_t place) { value = std::copy_n(&cells_[place], count, value); });
}

template <int D>
void Block<D>::set_beyond(std::size_t side, const Face& face) {
  if (face.empty()) return;  // the edge of the plate: always 0
  const std::size_t d = side / 2;
  const auto count = static_cast<std::size_t>(extent_[D - 1]);
  const double* value = face.data();
  for_layer(d, side % 2 == 0 ? -1 : extent_[d], [&](std::size_t place) {
    std::copy_n(value, count, &cells_[place]);
    value += count;
  });
}

template <int D>
double Block<D>::relax(const std::array<const Face*, 2 * D>& beyond) {
  // Rows get what is beyond their ends, and say what is there for the neighbours, while they are in
  // the cache. (Whole faces of this direction have one value in each row.)
  constexpr std::size_t of_ends = 2 * (D - 1);
  for (std::size_t side = 0; side < of_ends; ++side) set_beyond(side, *beyond[side]);
  const double* low = beyond[of_ends]->data();
  const double* high = beyond[of_ends + 1]->data();
  const bool has_low = !beyond[of_ends]->empty();
  const bool has_high = !beyond[of_ends + 1]->empty();
  next_.resize(cells_.size());
  double* first = make_ends();
  double change = 0;
  const std::size_t down = stride(0);
  [[maybe_unused]] const std::size_t along = stride(1);
  const auto count = static_cast<std::size_t>(extent_[D - 1]);
  constexpr double part = 1.0 / (2 * D);
  for_rows([&](std::size_t place, const Coordinates& /*at*/) {
    if (has_low) cells_[place - 1] = *low++;
    if (has_high) cells_[place + count] = *high++;
    const double* const now = &cells_[place];
    double* const then = &next_[place];
    for (std::size_t j = 0; j < count; ++j) {
      double sum = *(now + j - down) + now[j + down];
      if constexpr (D == 3) sum = (sum + *(now + j - along)) + now[j + along];
      then[j] = part * ((sum + *(now + j - 1)) + now[j + 1]);
    }
    for (std::size_t j = 0; j < count; ++j) change = std::max(change, std::abs(then[j] - now[j]));
    first = keep_ends(then, first);
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
