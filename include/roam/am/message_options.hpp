// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace roam::am {

/// What a user may set for messages.
struct MessageOptions {
  /// Largest message sent in one piece, bytes; longer ones go split-phase. 256 B to 1 GiB, default
  /// 16 KiB.
  std::size_t message_threshold_bytes = std::size_t{16} << 10;
  /// If a rank has more memory of unsent messages than this, its senders are held back: the rank
  /// makes progress and runs other handlers before their calls return (A3). 4 KiB to 1 TiB, default
  /// 16 MiB.
  std::size_t high_water_bytes = std::size_t{16} << 20;
  /// If a rank has more memory than this of messages that have arrived and wait, its senders are
  /// stopped (A3). 64 KiB to 1 TiB, default 8 MiB. Inside one process messages stay in the sender's
  /// memory, which its high-water mark limits.
  std::size_t receive_memory_bytes = std::size_t{8} << 20;
};

}  // namespace roam::am
