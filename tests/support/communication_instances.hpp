// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "roam/core/random.hpp"
#include "roam/topology/detail/mapping/communication_graph.hpp"

namespace instances {

/// Objects that communicate, before they are a graph.
struct Instance {
  std::uint32_t objects = 0;
  std::vector<roam::topology::Communication> communications;
  std::vector<double> loads;  // empty: 1 each
  [[nodiscard]] roam::topology::CommunicationGraph graph() const {
    return {objects, communications, loads};
  }
};

/// Each object communicates with `reach` others on either side of it, once in each direction.
inline Instance ring(std::uint32_t objects, std::uint32_t reach = 3) {
  Instance ring{objects, {}, {}};
  for (std::uint32_t i = 0; i < objects; ++i) {
    for (std::uint32_t k = 1; k <= reach; ++k)
      ring.communications.push_back({i, (i + k) % objects, 2});
  }
  return ring;
}

/// A cube of cells with periodic borders.
class Cells {
 public:
  explicit Cells(std::uint32_t side) : side_(side) {}
  [[nodiscard]] std::uint32_t count() const { return side_ * side_ * side_; }
  [[nodiscard]] std::uint32_t at(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
    return ((x % side_) * side_ + y % side_) * side_ + z % side_;
  }
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::uint32_t x = 0; x < side_; ++x) {
      for (std::uint32_t y = 0; y < side_; ++y) {
        for (std::uint32_t z = 0; z < side_; ++z) visit(x, y, z);
      }
    }
  }

 private:
  std::uint32_t side_;
};

/// Stencil3D's blocks: each communicates with six.
inline Instance torus(std::uint32_t side) {
  const Cells cells(side);
  Instance torus{cells.count(), {}, {}};
  cells.for_each([&](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    torus.communications.push_back({cells.at(x, y, z), cells.at(x + 1, y, z), 1});
    torus.communications.push_back({cells.at(x, y, z), cells.at(x, y + 1, z), 1});
    torus.communications.push_back({cells.at(x, y, z), cells.at(x, y, z + 1), 1});
  });
  return torus;
}

/// LeanMD: cells, and for each one a computation of its own and one with each of 13 neighbours,
/// half of the 26 around it. Positions go to computations and forces back. A computation of a pair
/// takes ten times as long as moving a cell's particles, one of a single cell half of that.
inline Instance leanmd(std::uint32_t side) {
  const Cells cells(side);
  Instance md{cells.count() * 15, {}, std::vector<double>(cells.count() * 15, 1.0)};
  std::uint32_t next = cells.count();
  cells.for_each([&](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    const std::uint32_t cell = cells.at(x, y, z);
    md.loads[next] = 5;
    md.communications.push_back({next++, cell, 2});
    for (std::uint32_t step = 14; step < 27;
         ++step) {  // the later half of -1, 0, 1 in each direction
      const std::uint32_t other =
          cells.at(x + side + step / 9 - 1, y + side + step / 3 % 3 - 1, z + side + step % 3 - 1);
      md.loads[next] = 10;
      md.communications.push_back({next, cell, 2});
      md.communications.push_back({next++, other, 2});
    }
  });
  return md;
}

/// The same objects under other numbers, in another order.
inline Instance shuffled(const Instance& instance, std::uint64_t seed) {
  roam::core::Random random(seed);
  std::vector<std::uint32_t> number(instance.objects);
  std::iota(number.begin(), number.end(), 0U);
  const auto shuffle = [&random](auto& values) {
    for (std::size_t i = values.size(); i > 1; --i) {
      std::swap(values[i - 1], values[random.below(i)]);
    }
  };
  shuffle(number);
  Instance result = instance;
  for (roam::topology::Communication& pair : result.communications) {
    pair.a = number[pair.a];
    pair.b = number[pair.b];
  }
  for (std::size_t i = 0; i < instance.loads.size(); ++i) {
    result.loads[number[i]] = instance.loads[i];
  }
  shuffle(result.communications);
  return result;
}

}  // namespace instances
