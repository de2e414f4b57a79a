// SPDX-License-Identifier: Apache-2.0
#include "profiled_waits.hpp"

#include <dlfcn.h>

#include <numeric>

namespace roam::offload {

namespace {

// The library may be present or not, and comes before MPI in the search order, so it is looked up
// at run time.
template <class Function>
Function* find_function(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

std::vector<int> ranks_by_world(MPI_Comm communicator) {
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Group own = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Comm_group(communicator, &own);
  int size = 0;
  MPI_Group_size(world, &size);
  std::vector<int> there(static_cast<std::size_t>(size));
  std::iota(there.begin(), there.end(), 0);
  std::vector<int> here(there.size());
  MPI_Group_translate_ranks(world, size, there.data(), own, here.data());
  MPI_Group_free(&world);
  MPI_Group_free(&own);
  return here;
}

}  // namespace

ProfiledWaits::ProfiledWaits(MPI_Comm communicator)
    : exchange_(find_function<void()>("roam_pmpi_exchange")),
      take_waits_(find_function<int(roam_pmpi_wait*, int)>("roam_pmpi_take_waits")) {
  if (take_waits_ == nullptr) return;
  own_ranks_ = ranks_by_world(communicator);
  for (const int rank : own_ranks_)
    if (rank == MPI_UNDEFINED) exchange_ = nullptr;
}

void ProfiledWaits::take(const std::function<void(Rank whom, double seconds)>& tell) {
  if (take_waits_ == nullptr) return;
  if (exchange_ != nullptr) exchange_();
  std::vector<roam_pmpi_wait> waits(own_ranks_.size());
  waits.resize(static_cast<std::size_t>(take_waits_(waits.data(), static_cast<int>(waits.size()))));
  for (const roam_pmpi_wait& wait : waits) {
    const int rank = own_ranks_.at(static_cast<std::size_t>(wait.rank));
    if (rank != MPI_UNDEFINED) tell(Rank(rank), wait.seconds);
  }
}

}  // namespace roam::offload
