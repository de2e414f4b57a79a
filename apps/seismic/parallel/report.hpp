// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <roam/roam.hpp>
#include <vector>

#include "parallel/world.hpp"
#include "solve/receivers.hpp"

namespace seismic {

/// The mesh from a step on, as the numbers of cells in each root cell, in the order of the curve.
struct MeshFigures {
  std::int64_t step = 0;
  std::vector<std::int32_t> cells_of_roots;
};

/// The times and sizes of a run.
struct ParallelFigures {
  std::size_t least_cells = 0;
  std::size_t most_cells = 0;
  std::int64_t steps = 0;
  double simulated = 0.0;  ///< seconds of simulated time
  double seconds = 0.0;    ///< wall-clock time of the steps
  double updates = 0.0;    ///< number of unknowns updated, over all steps
  std::int64_t phases_with_moves = 0;
  std::vector<MeshFigures> meshes;  ///< of each era

  void note_mesh(const Mesh& mesh, std::int64_t step);
  void note_steps(std::int64_t count, std::size_t cells, int order);
};

/// Rank 0: seismograms, pictures, snapshots' list, mesh.csv, run.json, and with a report of steps
/// steps.csv and meshes.csv, in the settings' folder. Throws std::runtime_error if a file cannot be
/// written. Blocks.
void write_results(roam::Runtime& rt, const World& world, const Samples& samples,
                   const ParallelFigures& figures, const roam::RunSummary& summary);

void print_report(roam::Runtime& rt, const ParallelFigures& figures,
                  const roam::RunSummary& summary);

}  // namespace seismic
