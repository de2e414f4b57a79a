// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "kernels/kernels.hpp"
#include "model/boundaries.hpp"
#include "model/vertical_map.hpp"
#include "solve/aligned_array.hpp"
#include "solve/cell_materials.hpp"
#include "sources/locate.hpp"
#include "sources/point_support.hpp"
#include "sources/source_rate.hpp"

namespace seismic {

/// A moment tensor at a point.
struct MomentSource {
  Point position{};
  std::array<double, 6> moment{};  ///< N m: xx, yy, zz, xy, xz, yz
  SourceRate rate;
};

/// A source and the cells that share it.
struct PlacedSource {
  MomentSource source;
  std::vector<PointShare> shares;
};

/// Finds sources in a whole mesh. A source on a mirror belongs to both sides: its cells get half of
/// it for each mirror that it lies on. One beside a mirror has an image. Throws
/// std::invalid_argument if a source is outside of the domain.
[[nodiscard]] std::vector<PlacedSource> place_sources(const Mesh& mesh,
                                                      const Boundaries& boundaries,
                                                      const VerticalMap& map,
                                                      const std::vector<MomentSource>& sources,
                                                      const PointSupport& support);

/// The sources in a set of cells, divided among these cells.
class PointSources {
 public:
  /// The shares' cells are those of `mesh`, which may be a piece of the whole one.
  PointSources(const Mesh& mesh, const Basis& basis, const CellMaterials& shapes,
               std::vector<PlacedSource> sources);

  /// Sets the rates of the step from `time` on.
  void begin_step(const Basis& basis, double time, double step);
  /// The parts of sources in `cell`, for the step begun.
  [[nodiscard]] const std::vector<CellSource>& in(CellIndex cell) const;

 private:
  std::vector<PlacedSource> sources_;
  std::vector<AlignedArray> shapes_;
  std::vector<AlignedArray> rates_;               // of each source
  std::vector<std::vector<CellSource>> of_cell_;  // lists of those cells that have any
  std::vector<std::int32_t> list_of_;             // of each cell, -1 where none
  std::vector<CellSource> none_;
};

}  // namespace seismic
