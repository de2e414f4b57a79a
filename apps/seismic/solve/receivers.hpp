// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

#include "kernels/basis.hpp"
#include "kernels/layout.hpp"
#include "model/vertical_map.hpp"
#include "sources/locate.hpp"

namespace seismic {

struct Receiver {
  std::string name;
  Point position{};
};

/// Records velocity at points, by the cells' polynomials.
class Receivers {
 public:
  /// Throws std::invalid_argument if a receiver is outside of the domain.
  Receivers(const Mesh& mesh, const Basis& basis, const VerticalMap& map,
            std::vector<Receiver> receivers);

  /// Finds the receivers in another mesh of the same domain. Samples stay.
  void relocate(const Mesh& mesh, const Basis& basis, const VerticalMap& map);

  /// One sample of all receivers. `state(cell)` returns the values of a cell.
  template <class State>
  void record(const State& state) {
    for (std::size_t r = 0; r < receivers_.size(); ++r) {
      std::array<double, 3> velocity{};
      for (const Part& part : parts_[r]) add(part, state(part.cell), velocity);
      samples_[r].push_back(velocity);
    }
  }

  [[nodiscard]] const std::vector<Receiver>& list() const { return receivers_; }
  /// m/s, one entry a sample.
  [[nodiscard]] const std::vector<std::array<double, 3>>& samples(std::size_t receiver) const {
    return samples_[receiver];
  }

 private:
  struct Part {
    CellIndex cell;
    std::array<std::vector<double>, 3> values;  // of the basis along x (times the weight), y, z
  };

  void add(const Part& part, const double* state, std::array<double, 3>& velocity) const;

  Layout layout_;
  std::vector<Receiver> receivers_;
  std::vector<std::vector<Part>> parts_;
  std::vector<std::vector<std::array<double, 3>>> samples_;
};

}  // namespace seismic
