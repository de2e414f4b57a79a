// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "roam/core/detail/buffer_pool.hpp"
#include "roam/core/detail/buffer_pools.hpp"
#include "roam/core/detail/owned.hpp"
#include "roam/exec/engine.hpp"

namespace roam::am {

/// The memory of a rank's messages. Any thread, unless said otherwise.
class MessageMemory {
 public:
  /// Messages of up to `pooled_bytes`, unless that is very long, are made in a pool of the sending
  /// thread.
  MessageMemory(const exec::Engine& engine, std::size_t pooled_bytes);
  MessageMemory(const MessageMemory&) = delete;
  MessageMemory& operator=(const MessageMemory&) = delete;
  ~MessageMemory();

  /// The pool for messages that the thread of this slot sends; for that thread.
  [[nodiscard]] core::BufferPool& pool(std::uint32_t slot) { return *pools_[slot]; }
  /// A buffer of at least this capacity; called by the thread of this slot.
  [[nodiscard]] core::Buffer take(std::uint32_t slot, std::size_t bytes) {
    core::BufferPool& own = *pools_[slot];
    return bytes <= own.block_bytes() ? own.take() : large().take(bytes);
  }
  /// The pools for long messages and arrays.
  [[nodiscard]] core::BufferPools& large();
  /// A buffer for a message of this many bytes that is taken out of a batch, with the run of its
  /// handler behind it. It is of a fitting size, so that unpacking a batch does not take many times
  /// its memory.
  [[nodiscard]] core::Buffer take_entry(std::size_t bytes);
  /// A buffer for a BatchRun.
  [[nodiscard]] core::Buffer take_batch_run() { return batch_runs_->take(); }

  /// Bytes of the messages that this rank has made and that are still in use.
  [[nodiscard]] std::size_t sent_bytes_in_use() const;
  /// Bytes of the messages taken out of batches that are still in use.
  [[nodiscard]] std::size_t entry_bytes_in_use() const;
  void add_to(exec::WorkingSet& set) const;
  /// Prefetches the memory of the first worker's next message, if it is that short.
  void look_ahead(std::size_t bytes) const { pools_[0]->look_ahead(bytes); }

 private:
  std::vector<core::BufferPool::Handle> pools_;      // indexed by slot
  std::array<core::BufferPool::Handle, 3> entries_;  // indexed by size
  core::BufferPool::Handle batch_runs_;
  std::once_flag large_made_;
  core::Owned<core::BufferPools> large_;  // made when first needed
  std::atomic<bool> has_large_{false};    // tells whether large_ has been made
};

}  // namespace roam::am
