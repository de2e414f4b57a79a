// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

#include "kernels/basis.hpp"
#include "kernels/layout.hpp"
#include "model/vertical_map.hpp"
#include "sources/locate.hpp"
#include "sources/point_support.hpp"

namespace seismic {

struct Receiver {
  std::string name;
  Point position{};
};

/// The part of a receiver in one cell.
class ReceiverPart {
 public:
  ReceiverPart(const Basis& basis, const PointShare& share);

  [[nodiscard]] CellIndex cell() const { return cell_; }
  /// The velocity in m/s, times the cell's weight. `state`: the values of the cell.
  [[nodiscard]] std::array<double, 3> velocity(const double* state) const;

 private:
  Layout layout_;
  CellIndex cell_;
  std::array<std::vector<double>, 3> values_;  // factors along x (times the weight), y, z
};

/// The parts of each receiver in a whole mesh; a receiver's velocity is their sum in this order.
/// Throws std::invalid_argument if a receiver is outside of the domain.
[[nodiscard]] std::vector<std::vector<ReceiverPart>> place_receivers(
    const Mesh& mesh, const Basis& basis, const VerticalMap& map,
    const std::vector<Receiver>& receivers, const PointSupport& support);

/// For each receiver, one velocity per sample, m/s.
using Samples = std::vector<std::vector<std::array<double, 3>>>;

/// Records velocity at points, by the cells' polynomials.
class Receivers {
 public:
  /// Throws std::invalid_argument if a receiver is outside of the domain.
  Receivers(const Mesh& mesh, const Basis& basis, const VerticalMap& map,
            std::vector<Receiver> receivers, PointSupport support = {});

  /// Finds the receivers in another mesh of the same domain. Samples stay.
  void relocate(const Mesh& mesh, const Basis& basis, const VerticalMap& map);

  /// One sample of all receivers. `state(cell)` returns the values of a cell.
  template <class State>
  void record(const State& state) {
    for (std::size_t r = 0; r < receivers_.size(); ++r) {
      std::array<double, 3> velocity{};
      for (const ReceiverPart& part : parts_[r]) {
        const std::array<double, 3> more = part.velocity(state(part.cell()));
        for (std::size_t c = 0; c < 3; ++c) velocity[c] += more[c];
      }
      samples_[r].push_back(velocity);
    }
  }

  [[nodiscard]] const std::vector<Receiver>& list() const { return receivers_; }
  [[nodiscard]] const std::vector<std::array<double, 3>>& samples(std::size_t receiver) const {
    return samples_[receiver];
  }
  [[nodiscard]] const Samples& samples() const { return samples_; }

 private:
  std::vector<Receiver> receivers_;
  PointSupport support_;
  std::vector<std::vector<ReceiverPart>> parts_;
  Samples samples_;
};

}  // namespace seismic
