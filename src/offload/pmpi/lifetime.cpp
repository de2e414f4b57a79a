// SPDX-License-Identifier: Apache-2.0
// Start of MPI, freeing of communicators, and the functions that programs call.
#include <algorithm>

#include "hook.hpp"
#include "roam/offload/mpi/pmpi.h"

using namespace roam::offload::pmpi;  // NOLINT(google-build-using-namespace)

extern "C" {

int MPI_Init(int* argc, char*** argv) {
  const Hook hook;
  const int result = PMPI_Init(argc, argv);
  if (hook.is_outermost() && result == MPI_SUCCESS) Recorder::get().exchange();
  return result;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const Hook hook;
  const int result = PMPI_Init_thread(argc, argv, required, provided);
  if (hook.is_outermost() && result == MPI_SUCCESS) Recorder::get().exchange();
  return result;
}

int MPI_Comm_free(MPI_Comm* communicator) {
  const Hook hook;
  if (hook.is_outermost()) Recorder::get().release(*communicator);
  return PMPI_Comm_free(communicator);
}

int MPI_Comm_disconnect(MPI_Comm* communicator) {
  const Hook hook;
  if (hook.is_outermost()) Recorder::get().release(*communicator);
  return PMPI_Comm_disconnect(communicator);
}

void roam_pmpi_exchange(void) { Recorder::get().exchange(); }

int roam_pmpi_take_waits(roam_pmpi_wait* waits, int capacity) {
  const std::vector<Recorder::Wait> taken = Recorder::get().take_waits();
  std::vector<roam_pmpi_wait> found;
  for (std::size_t rank = 0; rank < taken.size(); ++rank) {
    if (taken[rank].times > 0)
      found.push_back({static_cast<int>(rank), taken[rank].seconds, taken[rank].times});
  }
  std::ranges::sort(found, std::ranges::greater{}, &roam_pmpi_wait::seconds);
  const auto count = std::min(found.size(), static_cast<std::size_t>(std::max(0, capacity)));
  std::copy_n(found.begin(), count, waits);
  return static_cast<int>(count);
}

uint64_t roam_pmpi_calls(void) { return Recorder::get().calls(); }

}  // extern "C"
