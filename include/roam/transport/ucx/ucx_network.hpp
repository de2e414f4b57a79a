// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "roam/transport/network.hpp"
#include "roam/transport/ucx/bootstrap.hpp"

namespace roam::transport {

/// How a network over UCX sends; the defaults are suitable for most machines.
struct UcxOptions {
  /// Longest message; longer data goes by send_bulk().
  std::size_t max_message_bytes = 64 * 1024;
  /// Messages up to this size between processes that share memory are copied through it at once;
  /// longer ones, and all messages between machines, are sent as UCX chooses.
  std::size_t eager_bytes = 32 * 1024;
  /// A rank provides memory, 34 KiB each, into which this many other ranks on its machine write
  /// their short messages directly: the first ones that send it more than a few. 0: all messages
  /// are sent by UCX.
  std::size_t fast_boxes = 64;
  /// True: processes on one machine exchange messages through shared memory. False: they behave as
  /// if each had a machine of its own. Must be equal on all ranks.
  bool share_memory = true;
  /// UCX itself gives up idle TCP connections that have been silent a little longer than this; 0:
  /// never. No effect if UCX_TCP_KEEPIDLE is set.
  std::chrono::seconds peer_timeout{60};
  /// How many of the last ranks are helpers. The loss of one is reported like any other, but
  /// close() among the remaining ranks still succeeds. Less than all.
  std::int32_t helpers = 0;
};

/// Makes a network with one rank per process over UCX, which itself chooses among shared memory,
/// TCP and RDMA. Two ranks are connected when the first message passes between them.
///
/// UCX prints nothing, unless UCX_LOG_LEVEL is set: failures are reported as roam::Error or
/// peer_failed. Other UCX_... variables have their usual effect. Collective; throws roam::Error if
/// UCX or the bootstrap fails.
///
/// Endpoints: ordered, not concurrent_send. A process that dies becomes peer_failed with its rank:
/// at once if it shares the machine, or if `bootstrap` can tell; else, where messages have been
/// sent to it, after a few seconds. So does a process whose machine cannot be reached, if
/// `bootstrap` can tell. close(false) is collective; it returns when every message sent anywhere
/// has been received (those arriving during close are dropped), and throws roam::Error if a process
/// is lost meanwhile. Helpers are told to close by the other ranks, which wait in their own close()
/// until all helpers have done so or are lost.
[[nodiscard]] std::unique_ptr<Network> make_ucx_network(std::unique_ptr<Bootstrap> bootstrap,
                                                        const UcxOptions& options = {});

}  // namespace roam::transport
