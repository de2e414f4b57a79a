// SPDX-License-Identifier: Apache-2.0
#include "parallel/era.hpp"

#include <cmath>
#include <utility>

#include "solve/sequential_run.hpp"

namespace seismic {
namespace {

std::vector<std::size_t> cut(const Mesh& mesh, PieceWeight weight, std::int32_t pieces) {
  std::vector<double> weights;
  for (const Cell& cell : mesh.cells) {
    const double share = cell.size / mesh.grid.size;
    weights.push_back(weight == PieceWeight::cells ? 1.0 : share * share * share);
  }
  return partition(weights, static_cast<std::size_t>(pieces));
}

}  // namespace

Era::Era(std::int32_t number, const Spacetree& tree, const RunSettings& settings,
         std::int32_t pieces, const Moment& begin)
    : number_(number),
      settings_(settings.waves),
      problem_(make_problem(settings.waves)),
      mesh_(make_mesh(tree)),
      pieces_(mesh_, cut(mesh_, settings.weight, pieces)),
      sources_(place_sources(mesh_, problem_.boundaries, problem_.map, problem_.sources,
                             problem_.support)),
      receivers_(place_receivers(mesh_, Basis(settings_.order), problem_.map, settings_.receivers,
                                 problem_.support)),
      begin_(begin) {}

double Era::longest_step(std::int32_t share, std::int32_t shares) const {
  Mesh part;
  part.grid = mesh_.grid;
  const std::size_t cells = mesh_.cells.size();
  const auto at = [&](std::int32_t k) {
    return mesh_.cells.begin() + static_cast<std::ptrdiff_t>(cells * static_cast<std::size_t>(k) /
                                                             static_cast<std::size_t>(shares));
  };
  part.cells.assign(at(share), at(share + 1));
  const CellMaterials materials(part, Basis(settings_.order), problem_.material, problem_.map);
  return longest_stable_step(part, materials);
}

void Era::set_longest_step(double longest) {
  steps_per_sample_ =
      static_cast<std::int64_t>(std::ceil(settings_.sampling / (settings_.step_factor * longest)));
  step_ = settings_.sampling / static_cast<double>(steps_per_sample_);
}

std::int64_t Era::sample_at(std::int64_t step) const {
  const std::int64_t since = step - begin_.step;
  return since % steps_per_sample_ == 0 ? begin_.sample + since / steps_per_sample_ : -1;
}

std::vector<PlacedSource> Era::sources_of(const Piece& piece) const {
  std::vector<PlacedSource> own;
  for (const PlacedSource& placed : sources_) {
    PlacedSource part{placed.source, {}};
    for (PointShare share : placed.shares) {
      share.cell -= piece.first;
      if (share.cell >= 0 && share.cell < piece.own) part.shares.push_back(share);
    }
    if (!part.shares.empty()) own.push_back(std::move(part));
  }
  return own;
}

}  // namespace seismic
