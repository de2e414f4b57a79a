// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "mesh/piece.hpp"
#include "parallel/run_settings.hpp"
#include "solve/receivers.hpp"
#include "solve/solver.hpp"

namespace seismic {

/// The time at which an era begins.
struct Moment {
  std::int64_t step = 0;
  std::int64_t sample = 0;
};

/// The time between two changes of the mesh: the mesh, its pieces, and the length of steps. All
/// ranks make the same one. Constant once its step is set.
class Era {
 public:
  /// `number`: 0, 1, ... Throws std::invalid_argument for points outside of the domain.
  Era(std::int32_t number, const Spacetree& tree, const RunSettings& settings, std::int32_t pieces,
      const Moment& begin);
  Era(const Era&) = delete;
  Era& operator=(const Era&) = delete;

  /// The longest stable step of this part of the mesh, s: of the `share`-th of `shares` parts.
  [[nodiscard]] double longest_step(std::int32_t share, std::int32_t shares) const;
  /// Sets the step; `longest`: for the whole mesh. An interval between samples becomes a whole
  /// number of steps.
  void set_longest_step(double longest);

  [[nodiscard]] std::int32_t number() const { return number_; }
  [[nodiscard]] const Medium& medium() const { return problem_; }
  [[nodiscard]] const Mesh& mesh() const { return mesh_; }
  [[nodiscard]] const Pieces& pieces() const { return pieces_; }
  [[nodiscard]] double step() const { return step_; }
  [[nodiscard]] std::int64_t steps_per_sample() const { return steps_per_sample_; }
  [[nodiscard]] const Moment& begin() const { return begin_; }
  /// The sample to be taken after `step` steps; -1: none.
  [[nodiscard]] std::int64_t sample_at(std::int64_t step) const;
  /// The step after which a sample is due.
  [[nodiscard]] std::int64_t step_of(std::int64_t sample) const {
    return begin_.step + (sample - begin_.sample) * steps_per_sample_;
  }
  /// The sources of a piece, with its own numbers of cells.
  [[nodiscard]] std::vector<PlacedSource> sources_of(const Piece& piece) const;
  /// The parts of each receiver in the whole mesh.
  [[nodiscard]] const std::vector<std::vector<ReceiverPart>>& receivers() const {
    return receivers_;
  }

 private:
  std::int32_t number_;
  const Settings& settings_;
  Problem problem_;
  Mesh mesh_;
  Pieces pieces_;
  std::vector<PlacedSource> sources_;
  std::vector<std::vector<ReceiverPart>> receivers_;
  Moment begin_;
  double step_ = 0.0;
  std::int64_t steps_per_sample_ = 1;
};

}  // namespace seismic
