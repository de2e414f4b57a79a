// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "roam/core/detail/buffer_pool.hpp"
#include "roam/core/detail/counted_memory.hpp"
#include "roam/core/detail/large_blocks.hpp"

namespace roam::core {

/// Reused memory for buffers of very different sizes: memory fresh from the system would cost more
/// in page faults than a transfer itself. It consists of pools of blocks of 512 B, 1 KiB, ... 8
/// KiB, each of which holds a few MiB of free blocks at most, and of LargeBlocks. Thread-safe.
class BufferPools {
 public:
  explicit BufferPools(BufferPool::Use use = BufferPool::Use::mostly_one_thread) {
    for (std::size_t i = 0; i < pools_.size(); ++i)
      pools_[i] = BufferPool::create(smallest << i, kept_bytes / (smallest << i), use);
  }
  /// A buffer of size 0 and at least this capacity.
  [[nodiscard]] Buffer take(std::size_t bytes);
  /// Bytes of memory of the buffers in use. Any thread; takes a short lock per pool.
  [[nodiscard]] std::size_t bytes_in_use() const {
    std::size_t bytes = large_->bytes_in_use() + larger_.bytes_in_use();
    for (const auto& pool : pools_) bytes += pool->blocks_in_use() * pool->block_bytes();
    return bytes;
  }

 private:
  static constexpr std::size_t smallest = 512;
  static constexpr std::size_t kept_bytes = std::size_t{4} << 20;
  std::array<BufferPool::Handle, 5> pools_;  // up to 8 KiB
  LargeBlocks::Handle large_ = LargeBlocks::create();
  CountedMemory larger_;
};

}  // namespace roam::core
