// SPDX-License-Identifier: Apache-2.0
#include "molecular_dynamics/neighbour_list.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace md {

namespace {

/// Atoms sorted into cuboid bins whose edges are at least the reach of the list.
class Bins {
 public:
  Bins(std::span<const Vec3> positions, double reach) {
    if (positions.empty()) return;
    std::array<double, 3> upper{};
    for (std::size_t d = 0; d < 3; ++d) {
      lower_[d] = std::numeric_limits<double>::infinity();
      upper[d] = -lower_[d];
      for (const Vec3& position : positions) {
        lower_[d] = std::min(lower_[d], coordinate(position, d));
        upper[d] = std::max(upper[d], coordinate(position, d));
      }
      const double most = std::cbrt(static_cast<double>(positions.size())) * 4 + 1;
      // Somewhat larger than the reach, so that rounding cannot put a pair two bins apart.
      const double least = reach * (1 + 1e-9);
      const double bins = std::clamp(std::floor((upper[d] - lower_[d]) / least), 1.0, most);
      counts_[d] = static_cast<std::size_t>(bins);
      per_length_[d] = upper[d] > lower_[d] ? bins / (upper[d] - lower_[d]) : 0;
    }
    begins_.assign(counts_[0] * counts_[1] * counts_[2] + 1, 0);
    for (const Vec3& position : positions) ++begins_[bin_of(position) + 1];
    for (std::size_t bin = 1; bin < begins_.size(); ++bin) begins_[bin] += begins_[bin - 1];
    members_.resize(positions.size());
    std::vector<std::uint32_t> next(begins_.begin(), begins_.end() - 1);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      members_[next[bin_of(positions[i])]++] = static_cast<std::uint32_t>(i);
    }
  }

  /// Calls `visit` with the number of each atom in the bin of the position and those around it.
  template <class Visit>
  void visit_around(const Vec3& position, const Visit& visit) const {
    const std::array<std::size_t, 3> at{along(position, 0), along(position, 1), along(position, 2)};
    const auto first = [&at](std::size_t d) { return at[d] == 0 ? 0 : at[d] - 1; };
    const auto last = [&at, this](std::size_t d) { return std::min(at[d] + 1, counts_[d] - 1); };
    for (std::size_t x = first(0); x <= last(0); ++x) {
      for (std::size_t y = first(1); y <= last(1); ++y) {
        const std::size_t line = (x * counts_[1] + y) * counts_[2];
        const std::size_t end = begins_[line + last(2) + 1];
        for (std::size_t k = begins_[line + first(2)]; k < end; ++k) visit(members_[k]);
      }
    }
  }

 private:
  [[nodiscard]] std::size_t along(const Vec3& position, std::size_t d) const {
    const auto bin =
        static_cast<std::size_t>((coordinate(position, d) - lower_[d]) * per_length_[d]);
    return std::min(bin, counts_[d] - 1);
  }
  [[nodiscard]] std::size_t bin_of(const Vec3& position) const {
    return (along(position, 0) * counts_[1] + along(position, 1)) * counts_[2] + along(position, 2);
  }

  std::array<double, 3> lower_{};
  std::array<double, 3> per_length_{};
  std::array<std::size_t, 3> counts_{1, 1, 1};
  std::vector<std::uint32_t> begins_;  // of each bin's atoms among the members, and the end
  std::vector<std::uint32_t> members_;
};

}  // namespace

void NeighbourList::build(std::span<const Vec3> positions, std::size_t own, double reach) {
  const Bins bins(positions, reach);
  rows_.clear();
  rows_.reserve(own + 1);
  others_.clear();
  std::vector<std::uint32_t> ghosts;
  for (std::size_t i = 0; i < own; ++i) {
    Row row;
    row.begin = static_cast<std::uint32_t>(others_.size());
    ghosts.clear();
    bins.visit_around(positions[i], [&](std::uint32_t other) {
      const Vec3 apart = positions[i] - positions[other];
      if (other <= i || !(dot(apart, apart) < reach * reach)) return;
      (other < own ? others_ : ghosts).push_back(other);
    });
    row.ghosts = static_cast<std::uint32_t>(others_.size());
    others_.insert(others_.end(), ghosts.begin(), ghosts.end());
    rows_.push_back(row);
  }
  if (others_.size() > std::numeric_limits<std::uint32_t>::max())
    throw std::length_error("a cell has more than 2^32 pairs of atoms; more cells are needed");
  const auto end = static_cast<std::uint32_t>(others_.size());
  rows_.push_back({end, end});
}

double NeighbourList::compute_forces(const LennardJones& potential, std::span<const Vec3> positions,
                                     std::span<Vec3> forces) const {
  const double cutoff = potential.cutoff_squared();
  double energy = 0;
  double energy_with_ghosts = 0;
  std::ranges::fill(forces, Vec3{});
  for (std::size_t i = 0; i + 1 < rows_.size(); ++i) {
    const Vec3 atom = positions[i];
    Vec3 force;
    std::uint32_t k = rows_[i].begin;
    for (; k < rows_[i].ghosts; ++k) {
      const std::uint32_t other = others_[k];
      const Vec3 apart = atom - positions[other];
      const double squared = dot(apart, apart);
      if (!(squared < cutoff)) continue;
      const LennardJones::Pair pair = potential.pair(squared);
      const Vec3 push = pair.force_over_distance * apart;
      energy += pair.energy;
      force += push;
      forces[other] -= push;
    }
    for (; k < rows_[i + 1].begin; ++k) {
      const Vec3 apart = atom - positions[others_[k]];
      const double squared = dot(apart, apart);
      if (!(squared < cutoff)) continue;
      const LennardJones::Pair pair = potential.pair(squared);
      energy_with_ghosts += pair.energy;
      force += pair.force_over_distance * apart;
    }
    forces[i] += force;
  }
  return energy + energy_with_ghosts / 2;
}

}  // namespace md
