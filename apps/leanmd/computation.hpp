// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cereal/types/array.hpp>
#include <cereal/types/vector.hpp>
#include <cstdint>
#include <vector>

#include "objects.hpp"

namespace leanmd {

/// Computes the forces between two cells, or inside of one: when the positions of both have come,
/// computes the forces and sends them back. Nothing but its identity is stored from one step to the
/// next.
class Computation {
 public:
  Computation() = default;
  explicit Computation(const roam::Index<2>& place) : cell_(place[0]), number_(place[1]) {}

  void set(const World& world) { world_ = world; }
  /// Receives the positions of the cell that this computation belongs to, or of the other one.
  void take_positions(bool is_other, std::vector<md::Vec3> positions);

  template <class Archive>
  void serialize(Archive& archive) {
    archive(cell_, number_, world_, come_, positions_);
  }

 private:
  void compute();

  std::int64_t cell_ = 0;
  std::int64_t number_ = 0;
  World world_;
  std::int32_t come_ = 0;
  std::array<std::vector<md::Vec3>, 2> positions_;
};

}  // namespace leanmd
