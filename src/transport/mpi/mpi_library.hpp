// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "roam/transport/mpi/mpi_network.hpp"

namespace roam::transport {

/// MPI initialised: by the program, and then it stays so, or by us, and then it is finalised with
/// this object.
class MpiLibrary {
 public:
  /// Throws roam::Error if MPI has been finalised or may not be called from this thread.
  MpiLibrary();
  MpiLibrary(const MpiLibrary&) = delete;
  MpiLibrary& operator=(const MpiLibrary&) = delete;
  ~MpiLibrary();

  /// MPI_THREAD_SINGLE ... MPI_THREAD_MULTIPLE, as provided.
  [[nodiscard]] int thread_level() const { return thread_level_; }
  /// Throws roam::Error if MPI may not be called from this thread.
  void check_thread() const;
  /// Peers may be gone: do not wait for them in MPI_Finalize.
  void do_not_finalise() { finalise_ = false; }

 private:
  int thread_level_ = MPI_THREAD_SINGLE;
  bool finalise_ = false;
};

}  // namespace roam::transport
