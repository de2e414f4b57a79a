// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "roam/am/message_options.hpp"

namespace roam::am {

struct MessengerOptions : MessageOptions {
  /// What may be under way between two ranks, 4 KiB at least; nullopt: receive_memory_bytes shared
  /// among the other ranks, 64 KiB to 1 MiB.
  std::optional<std::size_t> window_bytes = {};
  /// Largest batch of small messages; nullopt: as the endpoint recommends, 0: none.
  std::optional<std::size_t> batch_bytes = {};
  std::size_t largest_message_bytes = std::size_t{1}
                                      << 36;  ///< longer announcements are malformed (A7)
};

/// Figures of one rank's messages since start. Each is exact; read together they may be a message
/// apart.
struct MessengerStats {
  std::uint64_t messages_sent = 0;
  std::uint64_t messages_received = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t messages_rejected = 0;
  /// Memory of messages that have arrived and wait; inside a process: that have been sent and not
  /// been let go by whoever has them. Now, and at most as far as anybody looked.
  std::uint64_t held_bytes = 0;
  std::uint64_t most_held_bytes = 0;
  std::uint64_t waiting_bytes = 0;       ///< memory of messages that wait for credit
  std::uint64_t most_waiting_bytes = 0;  ///< the most that has waited at a time
  std::uint64_t times_held_back = 0;     ///< a sender was, past the high-water mark
};

}  // namespace roam::am
