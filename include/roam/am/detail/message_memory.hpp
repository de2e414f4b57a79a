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

/// The memory of a rank's messages. Any thread, if not said otherwise.
class MessageMemory {
 public:
  /// Messages of up to `pooled_bytes`, and not very long ones, are sent from a pool of their
  /// thread's.
  MessageMemory(const exec::Engine& engine, std::size_t pooled_bytes);
  MessageMemory(const MessageMemory&) = delete;
  MessageMemory& operator=(const MessageMemory&) = delete;
  ~MessageMemory();

  /// Of the messages that the thread of this slot sends; for that thread.
  [[nodiscard]] core::BufferPool& pool(std::uint32_t slot) { return *pools_[slot]; }
  /// Room for so many bytes, by the thread of this slot.
  [[nodiscard]] core::Buffer take(std::uint32_t slot, std::size_t bytes) {
    core::BufferPool& own = *pools_[slot];
    return bytes <= own.block_bytes() ? own.take() : large().take(bytes);
  }
  /// For long messages and arrays.
  [[nodiscard]] core::BufferPools& large();
  /// For a message out of a batch, of so many bytes, and the run of its handler behind it: a batch
  /// must not take many times its own memory.
  [[nodiscard]] core::Buffer take_entry(std::size_t bytes);
  /// For a BatchRun.
  [[nodiscard]] core::Buffer take_batch_run() { return batch_runs_->take(); }

  /// Bytes of messages that this rank has made and nobody has let go yet.
  [[nodiscard]] std::size_t sent_bytes_in_use() const;
  /// The same of messages out of batches.
  [[nodiscard]] std::size_t entry_bytes_in_use() const;
  void add_to(exec::WorkingSet& set) const;

 private:
  std::vector<core::BufferPool::Handle> pools_;      // by slot
  std::array<core::BufferPool::Handle, 3> entries_;  // by size
  core::BufferPool::Handle batch_runs_;
  std::once_flag large_made_;
  core::Owned<core::BufferPools> large_;  // made when first needed
  std::atomic<bool> has_large_{false};    // for those who do not need it
};

}  // namespace roam::am
