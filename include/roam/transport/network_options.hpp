// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace roam::transport {

/// What a user may set for the network.
struct NetworkOptions {
  /// Name of the transport, validated by the transport registry. Default "auto".
  std::string transport = "auto";
  /// How long the machine of another rank may be silent (its cable unplugged, its power off) before
  /// the job ends, in seconds: 2 to 86400, default 60; 0: for ever. For transports that watch the
  /// machines themselves: UCX without a launcher.
  std::uint32_t peer_timeout_seconds = 60;
};

}  // namespace roam::transport
