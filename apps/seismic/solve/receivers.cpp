// SPDX-License-Identifier: Apache-2.0
#include "solve/receivers.hpp"

#include <stdexcept>
#include <utility>

namespace seismic {

Receivers::Receivers(const Mesh& mesh, const Basis& basis, const VerticalMap& map,
                     std::vector<Receiver> receivers)
    : layout_{basis.nodes()},
      receivers_(std::move(receivers)),
      parts_(receivers_.size()),
      samples_(receivers_.size()) {
  relocate(mesh, basis, map);
}

void Receivers::relocate(const Mesh& mesh, const Basis& basis, const VerticalMap& map) {
  for (std::size_t r = 0; r < receivers_.size(); ++r) {
    const auto shares = locate(mesh, map.reference(receivers_[r].position));
    if (shares.empty()) {
      throw std::invalid_argument("receiver '" + receivers_[r].name + "' is outside of the domain");
    }
    parts_[r].clear();
    for (const PointShare& share : shares) {
      Part part{share.cell,
                {basis.values(share.inside[0]), basis.values(share.inside[1]),
                 basis.values(share.inside[2])}};
      for (double& value : part.values[0]) value *= share.weight;
      parts_[r].push_back(std::move(part));
    }
  }
}

void Receivers::add(const Part& part, const double* state, std::array<double, 3>& velocity) const {
  const auto nodes = static_cast<std::size_t>(layout_.nodes);
  for (std::size_t z = 0; z < nodes; ++z) {
    for (std::size_t y = 0; y < nodes; ++y) {
      const double plane = part.values[2][z] * part.values[1][y];
      for (std::size_t x = 0; x < nodes; ++x) {
        const double factor = plane * part.values[0][x];
        const int node = layout_.at(static_cast<int>(x), static_cast<int>(y), static_cast<int>(z));
        for (std::size_t c = 0; c < 3; ++c) {
          velocity[c] += factor * state[static_cast<int>(c) * layout_.quantity() + node];
        }
      }
    }
  }
}

}  // namespace seismic
