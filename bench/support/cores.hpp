// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>
#include <sched.h>

#include <array>

namespace bench {

/// Lets the threads of either process of MPI_COMM_WORLD use the cores of both, which the launcher
/// may have bound to one each; until the end of the scope. Collective. Does nothing on machines of
/// their own.
class CoresOfBoth {
 public:
  CoresOfBoth() {
    CPU_ZERO(&own_);
    if (sched_getaffinity(0, sizeof own_, &own_) != 0) CPU_ZERO(&own_);
    std::array<cpu_set_t, 2> all{};
    MPI_Allgather(&own_, sizeof own_, MPI_BYTE, all.data(), sizeof own_, MPI_BYTE, MPI_COMM_WORLD);
    cpu_set_t both;
    CPU_OR(&both, &all[0], &all[1]);
    static_cast<void>(sched_setaffinity(0, sizeof both, &both));
  }
  CoresOfBoth(const CoresOfBoth&) = delete;
  CoresOfBoth& operator=(const CoresOfBoth&) = delete;
  ~CoresOfBoth() { static_cast<void>(sched_setaffinity(0, sizeof own_, &own_)); }

 private:
  cpu_set_t own_;
};

}  // namespace bench
