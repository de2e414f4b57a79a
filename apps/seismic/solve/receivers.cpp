// SPDX-License-Identifier: Apache-2.0
#include "solve/receivers.hpp"

#include <stdexcept>
#include <utility>

#include "sources/point_values.hpp"

namespace seismic {

ReceiverPart::ReceiverPart(const Basis& basis, const PointShare& share)
    : layout_{basis.nodes()},
      cell_(share.cell),
      values_{point_values(basis, share, 0), point_values(basis, share, 1),
              point_values(basis, share, 2)} {
  for (double& value : values_[0]) value *= share.weight;
}

std::array<double, 3> ReceiverPart::velocity(const double* state) const {
  const auto nodes = static_cast<std::size_t>(layout_.nodes);
  std::array<double, 3> velocity{};
  for (std::size_t z = 0; z < nodes; ++z) {
    for (std::size_t y = 0; y < nodes; ++y) {
      const double plane = values_[2][z] * values_[1][y];
      for (std::size_t x = 0; x < nodes; ++x) {
        const double factor = plane * values_[0][x];
        const int node = layout_.at(static_cast<int>(x), static_cast<int>(y), static_cast<int>(z));
        for (std::size_t c = 0; c < 3; ++c) {
          velocity[c] += factor * state[static_cast<int>(c) * layout_.quantity() + node];
        }
      }
    }
  }
  return velocity;
}

std::vector<std::vector<ReceiverPart>> place_receivers(const Mesh& mesh, const Basis& basis,
                                                       const VerticalMap& map,
                                                       const std::vector<Receiver>& receivers,
                                                       const PointSupport& support) {
  std::vector<std::vector<ReceiverPart>> parts;
  for (const Receiver& receiver : receivers) {
    const auto shares = support.shares(mesh, map.reference(receiver.position));
    if (shares.empty()) {
      throw std::invalid_argument("receiver '" + receiver.name + "' is outside of the domain");
    }
    parts.emplace_back();
    for (const PointShare& share : shares) parts.back().emplace_back(basis, share);
  }
  return parts;
}

Receivers::Receivers(const Mesh& mesh, const Basis& basis, const VerticalMap& map,
                     std::vector<Receiver> receivers, PointSupport support)
    : receivers_(std::move(receivers)), support_(std::move(support)), samples_(receivers_.size()) {
  relocate(mesh, basis, map);
}

void Receivers::relocate(const Mesh& mesh, const Basis& basis, const VerticalMap& map) {
  parts_ = place_receivers(mesh, basis, map, receivers_, support_);
}

}  // namespace seismic
