// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "roam/core/buffer.hpp"
#include "roam/core/spin_lock.hpp"

namespace roam::core {

/// Fixed-size blocks for small messages, preallocated in slabs and reused (PREMA 4.1.1: "a pool of
/// such messages"). take() and the return of a block are thread-safe and do not block beyond a
/// short lock. Blocks may outlive the handle `PoolHandle`; the pool's memory goes when the last
/// block has come back.
class BufferPool {
 public:
  struct Release {
    void operator()(BufferPool* pool) const { pool->release_owner(); }
  };
  using Handle = std::unique_ptr<BufferPool, Release>;

  /// `block_bytes` usable bytes per block; `keep_blocks` at most are kept for reuse.
  static Handle create(std::size_t block_bytes, std::size_t keep_blocks = 16384);
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  /// A buffer of size 0 and capacity block_bytes().
  [[nodiscard]] Buffer take();
  /// A pooled buffer if `bytes` fits a block, else one from the heap. Size 0.
  [[nodiscard]] Buffer take(std::size_t bytes) {
    return bytes <= block_bytes_ ? take() : Buffer::allocate(bytes);
  }
  [[nodiscard]] std::size_t block_bytes() const { return block_bytes_; }
  /// Blocks handed out and not yet returned.
  [[nodiscard]] std::size_t blocks_in_use();

 private:
  friend class Buffer;
  BufferPool(std::size_t block_bytes, std::size_t keep_blocks)
      : block_bytes_(block_bytes), keep_(keep_blocks) {}
  ~BufferPool();
  void give_back(Buffer::Block* block);
  void release_owner();
  static Buffer::Block* next_free(const Buffer::Block* block) {
    return static_cast<Buffer::Block*>(block->next.load(std::memory_order_relaxed));
  }

  const std::size_t block_bytes_;
  const std::size_t keep_;
  SpinLock lock_;
  // Under lock_:
  Buffer::Block* free_ = nullptr;
  std::size_t free_count_ = 0;
  std::size_t in_use_ = 0;
  bool owned_ = true;
};

}  // namespace roam::core
