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

/// How the processes of a job, one rank each, meet before a network connects them: what UCX needs
/// from a launcher. A program that has a way of its own (MPI, a batch system) implements this and
/// hands it to make_ucx_network(). One thread at a time.
class Bootstrap {
 public:
  Bootstrap() = default;
  Bootstrap(const Bootstrap&) = delete;
  Bootstrap& operator=(const Bootstrap&) = delete;
  virtual ~Bootstrap() = default;

  /// This process's rank.
  [[nodiscard]] virtual Rank rank() const = 0;
  /// The processes of the job.
  [[nodiscard]] virtual std::int32_t size() const = 0;
  /// What each rank brought, by rank. Collective, called once; blocks until all have come. Throws
  /// roam::Error that names the ranks which did not, where it can tell.
  [[nodiscard]] virtual std::vector<std::string> allgather(const std::string& mine) = 0;

  /// A process that has ended without leave(), or whose machine is out of reach, each reported
  /// once; costs about one system call and does not block. Without: this way to meet cannot tell.
  [[nodiscard]] virtual std::optional<LostProcess> lost() { return std::nullopt; }
  /// This process has finished the job as all others have, or is about to: its end is no loss.
  virtual void leave() {}
  /// Last resort: ends the processes of the job, as far as this way to meet reaches them, with this
  /// exit status; at least this one.
  [[noreturn]] virtual void abort(int status) = 0;
};

/// The bootstrap that the environment of this process calls for:
///   - ROAM_UCX_RANK, ROAM_UCX_SIZE and ROAM_UCX_ROOT=HOST:PORT, the same port on the host of
///     rank 0 for all: no launcher needed, the processes meet over TCP at rank 0. ROAM_UCX_TIMEOUT,
///     in seconds (default 60), bounds how long they wait for each other. A process whose machine
///     has been silent for `peer_timeout` (0: for ever) is lost; one that is stopped is not;
///   - PMIX_..., as set by mpirun of Open MPI, prterun and srun: through the launcher's PMIx.
/// Throws roam::ConfigError that says which variable is missing or wrong, and roam::Error if the
/// launcher cannot be reached.
[[nodiscard]] std::unique_ptr<Bootstrap> make_bootstrap(
    std::chrono::seconds peer_timeout = std::chrono::seconds(60));

}  // namespace roam::transport
