// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <functional>
#include <vector>

#include "roam/core/types.hpp"
#include "roam/offload/mpi/pmpi.h"

namespace roam::offload {

/// Reads what the library roam_pmpi has measured, if the program is linked with it or LD_PRELOAD
/// names it; otherwise there is nothing. One thread at a time.
class ProfiledWaits {
 public:
  /// `communicator`: the one whose ranks are reported.
  explicit ProfiledWaits(MPI_Comm communicator);

  /// Waits since the last call, by the communicator's ranks. Collective if all ranks are in the
  /// communicator; if not, only waits for messages are known.
  void take(const std::function<void(Rank whom, double seconds)>& tell);

 private:
  void (*exchange_)();
  int (*take_waits_)(roam_pmpi_wait* waits, int capacity);
  std::vector<int> own_ranks_;  // by rank in MPI_COMM_WORLD
};

}  // namespace roam::offload
