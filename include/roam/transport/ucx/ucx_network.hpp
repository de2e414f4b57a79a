// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>

#include "roam/transport/network.hpp"
#include "roam/transport/ucx/bootstrap.hpp"

namespace roam::transport {

/// How a network over UCX sends; the defaults are good.
struct UcxOptions {
  /// Longest message; longer data goes by send_bulk().
  std::size_t max_message_bytes = 64 * 1024;
  /// Messages up to this size between processes that share memory are copied through it at once;
  /// longer ones, and all between machines, go as UCX chooses.
  std::size_t eager_bytes = 32 * 1024;
  /// A rank keeps memory, 34 KiB each, into which so many others on its machine write their short
  /// messages directly: the first ones to send it more than a few. 0: all messages go through UCX.
  std::size_t fast_boxes = 64;
  /// Whether processes on one machine talk through its memory. If not, they behave as if each had
  /// a machine of its own. The same for all ranks.
  bool share_memory = true;
  /// UCX itself gives up connections over TCP on which nothing is under way, and which have been
  /// silent a little longer than this; 0: never. Unless UCX_TCP_KEEPIDLE is set.
  std::chrono::seconds peer_timeout{60};
};

/// One rank per process over UCX, which itself chooses among shared memory, TCP and RDMA. Connects
/// two ranks when the first message passes between them.
///
/// UCX is kept quiet, unless UCX_LOG_LEVEL is set: what goes wrong comes as roam::Error or
/// peer_failed. Other UCX_... variables hold as ever. Collective; throws roam::Error if UCX or the
/// bootstrap fail.
///
/// Endpoints: ordered, not concurrent_send. A process that dies becomes peer_failed with its rank:
/// at once if it shares the machine, or if `bootstrap` can tell; else, where messages have passed
/// to it, after a few seconds. So does one whose machine is out of reach, if `bootstrap` can tell.
/// close(false) is collective; it returns when every message sent
/// anywhere has been received (those arriving during close are dropped), and throws roam::Error if
/// a process is lost meanwhile.
[[nodiscard]] std::unique_ptr<Network> make_ucx_network(std::unique_ptr<Bootstrap> bootstrap,
                                                        const UcxOptions& options = {});

}  // namespace roam::transport
