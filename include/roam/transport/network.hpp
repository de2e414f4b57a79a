// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "roam/core/types.hpp"
#include "roam/transport/endpoint.hpp"

namespace roam::transport {

/// All ranks of one job as one process sees them; one per job and process. Makes the endpoints of
/// the ranks in this process and must outlive them.
class Network {
 public:
  Network() = default;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;
  virtual ~Network() = default;

  /// The number of ranks of the whole job.
  [[nodiscard]] virtual std::int32_t size() const = 0;
  /// Ranks in this process, ascending.
  [[nodiscard]] virtual std::vector<Rank> local_ranks() const = 0;
  /// The number of ranks of the job on this machine, at least those in this process.
  [[nodiscard]] virtual std::int32_t ranks_on_this_machine() const {
    return static_cast<std::int32_t>(local_ranks().size());
  }
  /// How many of these belong to other processes and are lower than the ranks of this process. With
  /// it all workers of a machine can be numbered.
  [[nodiscard]] virtual std::int32_t ranks_before_on_this_machine() const { return 0; }
  /// Why this process may have no thread except the one that made the network (an MPI library with
  /// MPI_THREAD_SINGLE), and what would allow more; in static storage. nullptr: it may have others.
  [[nodiscard]] virtual const char* single_thread_reason() const { return nullptr; }
  /// Makes the endpoint of a local rank. Once per rank; throws roam::Error for a second one or for
  /// a rank that is not in this process.
  [[nodiscard]] virtual std::unique_ptr<Endpoint> endpoint(Rank rank) = 0;
  /// The name as in --roam-transport, for example "in-process".
  [[nodiscard]] virtual const char* name() const = 0;
  /// Last resort: ends every process of the job with this exit status, running no destructors.
  [[noreturn]] virtual void abort(int status) = 0;
};

}  // namespace roam::transport
