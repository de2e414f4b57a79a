// SPDX-License-Identifier: Apache-2.0
#pragma once

// Only MPI's C interface is used: the removed C++ interface of old libraries does not compile
// without warnings.
/// @cond
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
/// @endcond
#include <mpi.h>

#include <cstddef>
#include <memory>

#include "roam/transport/network.hpp"

namespace roam::transport {

/// How a network over MPI sends; the defaults are suitable for most machines.
struct MpiOptions {
  /// Longest message; at most what an MPI tag can hold.
  std::size_t max_message_bytes = 64 * 1024;
  /// Messages up to this size go through persistent receives posted in advance, which cost a copy
  /// at the receiver; longer ones are announced and received in place.
  std::size_t short_message_bytes = 4096;
  /// Receives kept posted for short messages; each holds a buffer of short_message_bytes.
  std::size_t posted_receives = 16;
  /// The most ranks of the same machine with which a rank exchanges messages of up to about 8 KiB
  /// through shared memory (272 KiB per rank and neighbour, of an MPI window); 0: none. Must be
  /// equal on all ranks.
  std::size_t fast_boxes = 16;
  /// Bulk data travels in pieces of at most this many bytes (MPI counts are ints).
  std::size_t bulk_piece_bytes = std::size_t{1} << 30;
};

/// Makes a network with one rank per MPI process, over duplicates of `communicator`: nothing that
/// Roam sends can meet the program's own messages. Collective over `communicator`, which remains
/// the program's and may be freed at once.
///
/// If MPI is not initialised yet, this initialises it with MPI_THREAD_SERIALIZED, and the network's
/// destructor finalises it; otherwise MPI is used at the thread level that it has and left running.
/// Endpoints: ordered, not concurrent_send; main_thread_only below MPI_THREAD_SERIALIZED. With
/// MPI_THREAD_SINGLE a rank has one worker and no communication thread (roam::run refuses more); a
/// program that itself calls MPI while Roam's workers run must obey the rules of its thread level.
/// close(false) is collective; it returns when every message sent anywhere has been received (those
/// arriving during close are dropped). Throws roam::Error with MPI's text if MPI refuses or has
/// been finalised already.
[[nodiscard]] std::unique_ptr<Network> make_mpi_network(MPI_Comm communicator,
                                                        const MpiOptions& options = {});

/// Ends every process of the job as MPI_Abort(communicator, status) does, a tenth of a second
/// later: some launchers, MPICH's among them, end a job without passing on what its processes wrote
/// to standard error last, which is the report of why it ends. Blocks, and does not return.
[[noreturn]] void abort_job(MPI_Comm communicator, int status);

}  // namespace roam::transport
