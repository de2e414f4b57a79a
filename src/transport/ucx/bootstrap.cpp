// SPDX-License-Identifier: Apache-2.0
#include "roam/transport/ucx/bootstrap.hpp"

#include <cstdlib>

#include "roam/core/error.hpp"
#include "roam/transport/detail/launcher.hpp"
#include "transport/ucx/environment.hpp"
#include "transport/ucx/pmix_bootstrap.hpp"
#include "transport/ucx/tcp_bootstrap.hpp"

namespace roam::transport {

bool names_ucx_meeting() {
  for (const char* name : {"ROAM_UCX_RANK", "ROAM_UCX_SIZE", "ROAM_UCX_ROOT"}) {
    if (std::getenv(name) != nullptr) return true;
  }
  return false;
}

std::unique_ptr<Bootstrap> make_bootstrap(std::chrono::seconds peer_timeout) {
  if (names_ucx_meeting()) {
    TcpMeeting meeting =
        read_tcp_meeting([](const char* name) -> const char* { return std::getenv(name); });
    meeting.peer_timeout = peer_timeout;
    return std::make_unique<TcpBootstrap>(std::move(meeting));
  }
  // PMIx servers set this variable for their clients.
  if (std::getenv("PMIX_RANK") != nullptr) return make_pmix_bootstrap();
  if (const std::optional<Launcher> launcher = detect_launcher();
      launcher && launcher->ranks != 1) {
    throw ConfigError("the launcher that set " + launcher->variable +
                      " offers no PMIx (PMIX_RANK is not set), by which the transport ucx finds "
                      "the other processes: use mpirun of Open MPI, prterun or srun --mpi=pmix, or "
                      "set ROAM_UCX_RANK, ROAM_UCX_SIZE and ROAM_UCX_ROOT");
  }
  return std::make_unique<TcpBootstrap>(TcpMeeting{});
}

}  // namespace roam::transport
