// SPDX-License-Identifier: Apache-2.0
#include "transport/mpi/mpi_library.hpp"

#include "roam/core/error.hpp"
#include "transport/mpi/mpi_error.hpp"

namespace roam::transport {

MpiLibrary::MpiLibrary() {
  int flag = 0;
  MPI_Finalized(&flag);
  if (flag != 0) {
    throw Error(
        "MPI has been finalised and cannot be started again in this process: call MPI_Init before "
        "the first "
        "Roam job and MPI_Finalize after the last");
  }
  MPI_Initialized(&flag);
  if (flag == 0) {
    check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &thread_level_),
              "MPI_Init_thread");
    finalise_ = true;
    return;
  }
  check_mpi(MPI_Query_thread(&thread_level_), "MPI_Query_thread");
  check_thread();
}

void MpiLibrary::check_thread() const {
  if (thread_level_ >= MPI_THREAD_SERIALIZED) return;
  int is_main = 0;
  check_mpi(MPI_Is_thread_main(&is_main), "MPI_Is_thread_main");
  if (is_main == 0) {
    throw Error(
        "MPI was initialised below MPI_THREAD_SERIALIZED, so only the thread that did it may start "
        "a Roam job over MPI: call MPI_Init_thread and ask for MPI_THREAD_SERIALIZED or more");
  }
}

MpiLibrary::~MpiLibrary() {
  int finalised = 0;
  MPI_Finalized(&finalised);
  if (finalise_ && finalised == 0) MPI_Finalize();
}

}  // namespace roam::transport
