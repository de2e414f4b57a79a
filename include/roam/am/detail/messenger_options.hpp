// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "roam/am/message_options.hpp"

namespace roam::am {

struct MessengerOptions : MessageOptions {
  /// How many of the network's ranks, the last ones, are helpers and no members of the job. Less
  /// than all.
  std::int32_t helpers = 0;
  /// The most that may be under way between two ranks, at least 4 KiB; nullopt:
  /// receive_memory_bytes divided among the other ranks, within 64 KiB to 1 MiB.
  std::optional<std::size_t> window_bytes = {};
  /// The size of the largest batch of small messages; nullopt: as the endpoint recommends, 0: no
  /// batches.
  std::optional<std::size_t> batch_bytes = {};
  std::size_t largest_message_bytes = std::size_t{1}
                                      << 36;  ///< longer announcements are malformed (A7)
};

/// Figures of one rank's messages since the start. Each is exact; figures read together may differ
/// by a message.
struct MessengerStats {
  std::uint64_t messages_sent = 0;
  std::uint64_t messages_received = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t messages_rejected = 0;
  /// Memory of messages that have arrived and wait; inside a process, of messages that have been
  /// sent and are still in use. Now, and the most that was seen when anybody looked.
  std::uint64_t held_bytes = 0;
  std::uint64_t most_held_bytes = 0;
  std::uint64_t waiting_bytes = 0;       ///< memory of messages that wait for credit
  std::uint64_t most_waiting_bytes = 0;  ///< the most that has waited at a time
  std::uint64_t times_held_back = 0;     ///< a sender was, past the high-water mark
};

}  // namespace roam::am
