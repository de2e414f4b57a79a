// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "uq/field.hpp"
#include "uq/solver.hpp"

namespace uq {

/// How samples are computed. Sent as bytes.
struct Ensemble {
  Field field;
  std::int64_t elements = 256;  ///< of the mesh; even
  std::int64_t rounds = 16;
  std::int64_t tasks = 64;  ///< of a round
  std::int64_t packs = 8;   ///< of a task
  bool one_by_one = false;  ///< solves for one sample at a time, with the same result
  double tolerance = 0;     ///< ends when the standard error is this part of the mean; 0: never

  [[nodiscard]] std::int64_t samples_of_task() const {
    return packs * static_cast<std::int64_t>(pack_size);
  }
  [[nodiscard]] std::int64_t samples_of_round() const { return tasks * samples_of_task(); }
  [[nodiscard]] bool is_enough(const Statistics& so_far) const {
    return tolerance > 0 && so_far.error() <= tolerance * so_far.mean;
  }
};

/// u(1/2) of the samples of a task of a round.
[[nodiscard]] std::vector<Pack> solve(const Ensemble& ensemble, const Mesh& mesh,
                                      std::int64_t round, std::int64_t task);
/// The statistics of a task's samples.
[[nodiscard]] Statistics statistics_of(const std::vector<Pack>& packs);

struct Settings {
  Ensemble ensemble;
  double element_seconds = 2e-9;  ///< in virtual time, for each element and sample
};

/// Reads the program's own options, after Roam's were taken out. Returns the exit status if the
/// program should end here (help, errors), else -1.
int read_settings(int argc, char** argv, Settings& settings);

}  // namespace uq
