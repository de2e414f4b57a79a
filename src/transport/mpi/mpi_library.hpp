// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "roam/transport/mpi/mpi_network.hpp"

namespace roam::transport {

/// MPI in its initialised state. If the program has initialised MPI, it remains so; if this object
/// has, its destructor finalises it.
class MpiLibrary {
 public:
  /// Throws roam::Error if MPI has been finalised or may not be called from this thread.
  MpiLibrary();
  MpiLibrary(const MpiLibrary&) = delete;
  MpiLibrary& operator=(const MpiLibrary&) = delete;
  ~MpiLibrary();

  /// The thread level that MPI provides, MPI_THREAD_SINGLE ... MPI_THREAD_MULTIPLE.
  [[nodiscard]] int thread_level() const { return thread_level_; }
  /// Throws roam::Error if MPI may not be called from this thread.
  void check_thread() const;
  /// Called because peers may be gone: MPI_Finalize would wait for them, and is not called.
  void do_not_finalise() { finalise_ = false; }

 private:
  int thread_level_ = MPI_THREAD_SINGLE;
  bool finalise_ = false;
};

}  // namespace roam::transport
