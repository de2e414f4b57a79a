// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace roam::am {

/// What a user may say about messages.
struct MessageOptions {
  /// Largest message sent in one piece, bytes; longer ones go split-phase. 256 B to 1 GiB, default
  /// 16 KiB.
  std::size_t message_threshold_bytes = std::size_t{16} << 10;
  /// Memory of unsent messages past which a sender is held back: its rank makes progress and runs
  /// other handlers before the call returns (A3). 4 KiB to 1 TiB, default 16 MiB.
  std::size_t high_water_bytes = std::size_t{16} << 20;
  /// Memory for messages that have arrived and wait, past which a rank stops its senders (A3). 64
  /// KiB to 1 TiB, default 8 MiB. Inside one process messages stay the sender's memory: its
  /// high-water mark bounds them.
  std::size_t receive_memory_bytes = std::size_t{8} << 20;
};

}  // namespace roam::am
