// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "roam/core/types.hpp"

namespace roam::transport {

/// A process of the job that has ended before the job did.
struct LostProcess {
  Rank rank;           ///< the rank of the process
  std::string reason;  ///< how it was lost, in words
};

/// How the processes of a job, one rank each, exchange addresses before a network connects them;
/// with it UCX needs no other launcher. A program with another means (MPI, a batch system)
/// implements this class and passes it to make_ucx_network(). One thread at a time.
class Bootstrap {
 public:
  Bootstrap() = default;
  Bootstrap(const Bootstrap&) = delete;
  Bootstrap& operator=(const Bootstrap&) = delete;
  virtual ~Bootstrap() = default;

  /// This process's rank.
  [[nodiscard]] virtual Rank rank() const = 0;
  /// The number of processes of the job.
  [[nodiscard]] virtual std::int32_t size() const = 0;
  /// Gives what each rank has contributed, by rank. Collective, called once; blocks until all have
  /// contributed. Throws roam::Error that names the ranks that did not, if that is known.
  [[nodiscard]] virtual std::vector<std::string> allgather(const std::string& mine) = 0;

  /// A process that has ended without leave(), or whose machine cannot be reached; each is reported
  /// once. Costs about one system call and does not block. The default is for implementations that
  /// cannot tell.
  [[nodiscard]] virtual std::optional<LostProcess> lost() { return std::nullopt; }
  /// Called when this process has finished the job as all others have, or are about to: its end is
  /// then not reported as lost.
  virtual void leave() {}
  /// Last resort: ends the processes of the job that this object can reach, with this exit status;
  /// at least this process.
  [[noreturn]] virtual void abort(int status) = 0;
};

/// Makes the bootstrap that the environment of this process calls for:
///   - ROAM_UCX_RANK, ROAM_UCX_SIZE and ROAM_UCX_ROOT=HOST:PORT (the same for all: a port on the
///     host of rank 0): no launcher is needed, the processes meet over TCP at rank 0.
///     ROAM_UCX_TIMEOUT, in seconds (default 60), limits how long they wait for each other. A
///     process whose machine has been silent for `peer_timeout` (0: for ever) is lost; one that is
///     stopped is not;
///   - PMIX_..., as set by mpirun of Open MPI, prterun and srun: through the launcher's PMIx.
/// Throws roam::ConfigError that says which variable is missing or wrong, and roam::Error if the
/// launcher cannot be reached.
[[nodiscard]] std::unique_ptr<Bootstrap> make_bootstrap(
    std::chrono::seconds peer_timeout = std::chrono::seconds(60));

}  // namespace roam::transport
