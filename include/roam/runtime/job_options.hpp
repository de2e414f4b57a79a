// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "roam/core/machine.hpp"

namespace roam {

/// The options about the job as a whole.
struct JobOptions {
  /// Ranks in this process (or of the simulated machine), 1 to max_ranks. Default 1.
  std::int32_t ranks = 1;
  /// True if `ranks` was set: a transport whose launcher fixes the number of ranks can then object.
  bool ranks_given = false;
  /// How many of these ranks, or of the processes that a launcher has started, are helpers: the
  /// last ones. They do not run the program and are no ranks of the job as the program sees it;
  /// they compute tasks that others offload, and may be lost. Less than all; 0 to max_ranks,
  /// default 0.
  std::int32_t helpers = 0;
  /// Workers per rank, up to max_workers_per_rank; 0 ("auto", the default): the machine's cores are
  /// shared among the ranks on it, see workers_per_rank().
  std::uint32_t workers = 0;
  /// How fast the workers of this process's ranks are, relative to a worker whose seconds loads are
  /// counted in: one value for all of its ranks, or one for each. 1e-6 to 1e6, default 1. A
  /// simulated machine has its own.
  std::vector<double> speeds = {1.0};
  /// Seed of everything random. Default 1.
  std::uint64_t seed = 1;
  /// Run on this simulated machine in virtual time. Default: none, a real run. With a simulated
  /// machine, `ranks` and `workers` equal the machine's.
  std::optional<Machine> simulate;
  /// File to which a job that is stuck writes who waits for whom, in the language of Graphviz;
  /// empty (default): none. Its folder was writable at start.
  std::string stuck_graph;
  /// SIGTERM and SIGINT end the job on all ranks as an error does, so that it leaves its records;
  /// signals for which the program has its own handlers are not touched. roam::run() only. Default
  /// on.
  bool catch_signals = true;
  /// The program's name, for traces; roam::run takes it from argv[0].
  std::string program;
  /// The argument of --roam-simulate, a file name or a machine inline; `simulate` is the machine it
  /// describes.
  std::string simulate_text;
};

}  // namespace roam
