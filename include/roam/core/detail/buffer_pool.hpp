// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "roam/core/detail/buffer.hpp"
#include "roam/core/detail/owned.hpp"
#include "roam/core/detail/spin_lock.hpp"
#include "roam/core/detail/thread_tag.hpp"

namespace roam::core {

/// Fixed-size blocks for small messages, reused (PREMA 4.1.1: "a pool of such messages"). take()
/// and the return of a block are thread-safe and do not block beyond a short lock. The first thread
/// that takes a block becomes the pool's owner: what it takes and gives back costs no lock and no
/// atomic exchange. Blocks may outlive the handle; the pool's memory is freed when the last block
/// has come back. The owner thread must not be using blocks at the moment in which another thread
/// destroys the handle.
class BufferPool {
 public:
  struct Release {
    void operator()(BufferPool* pool) const { pool->release_handle(); }
  };
  using Handle = Owned<BufferPool, Release>;
  enum class Use : std::uint8_t { mostly_one_thread, many_threads };

  /// A pool of blocks with `block_bytes` usable bytes each. At most `keep_blocks` free blocks are
  /// held for reuse in the list that all threads share, and as many, but no more than 64, in the
  /// owner's list. With Use::many_threads the pool has no owner.
  static Handle create(std::size_t block_bytes, std::size_t keep_blocks = 16384,
                       Use use = Use::mostly_one_thread);
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  /// A buffer of size 0 and capacity block_bytes(). Not inside a coroutine: see this_thread_tag().
  [[nodiscard]] Buffer take() { return has_own() ? take_own() : Buffer(take_slowly()); }
  /// True if the calling thread is the owner and has a block at hand: take_own() is then the same
  /// as take(). Not inside a coroutine.
  [[nodiscard]] bool has_own() const { return is_owner() && own_.free != nullptr; }
  [[nodiscard]] Buffer take_own() {
    Buffer::Block* const block = own_.pop();
    count_own(1);
    block->size = 0;
    return Buffer(block);
  }
  /// A pooled buffer if `bytes` fits a block, else one from the heap. Size 0.
  [[nodiscard]] Buffer take(std::size_t bytes) {
    return bytes <= block_bytes_ ? take() : Buffer::allocate(bytes);
  }
  [[nodiscard]] std::size_t block_bytes() const { return block_bytes_; }
  /// Prefetches the first `bytes` of what the owner takes next. For the owner.
  void look_ahead(std::size_t bytes) const {
    if (own_.free != nullptr) Buffer::look_ahead(own_.free, bytes);
  }
  /// Gives back a buffer, whichever pool it came from. If this pool has few blocks left and could
  /// have made the block itself, the block goes to the owner's list: two threads that answer each
  /// other then need no lock, and use memory that is in their caches. The block counts as returned
  /// to the pool that it came from. Not inside a coroutine.
  void recycle(Buffer&& buffer) {
    Buffer::Block* const block = std::exchange(buffer.block_, nullptr);
    if (block == nullptr) return;
    if (block->pool == this) {
      give_back(block);
    } else {
      recycle_other(block);
    }
  }
  /// The number of blocks handed out and not yet returned. Approximate while threads take and
  /// return blocks.
  [[nodiscard]] std::size_t blocks_in_use() const;

 private:
  friend class Buffer;
  struct FreeList {
    Buffer::Block* free = nullptr;
    std::size_t count = 0;
    [[nodiscard]] Buffer::Block* pop() {
      --count;
      return std::exchange(free, next(free));
    }
    void push(Buffer::Block* block) {
      block->next.store(free, std::memory_order_relaxed);
      free = block;
      ++count;
    }
    static Buffer::Block* next(const Buffer::Block* block) {
      return static_cast<Buffer::Block*>(block->next.load(std::memory_order_relaxed));
    }
    /// Moves this many blocks, or all if there are fewer, to the other list.
    void move_to(FreeList& other, std::size_t blocks) {
      for (std::size_t i = std::min(blocks, count); i > 0; --i) other.push(pop());
    }
    void delete_all();
  };

  // What the handle adds to others_in_use_, so that the count cannot reach zero while the handle
  // exists.
  static constexpr std::int64_t handle = std::int64_t{1} << 40;
  // A pool with fewer free blocks than this takes over blocks of other pools. With a higher number,
  // where messages go one way only, one thread would collect the memory that another makes.
  static constexpr std::size_t few = 16;

  // The most blocks in the owner's list, from which no other thread can take. Further ones go to
  // the shared list, half of the owner's list at a time: otherwise, where another thread takes what
  // the owner gives back, each block taken would be a new one.
  static constexpr std::size_t most_own = 64;

  BufferPool(std::size_t block_bytes, std::size_t keep_blocks, Use use)
      : block_bytes_(block_bytes),
        keep_(keep_blocks),
        most_own_(std::min(keep_blocks, most_own)),
        may_have_owner_(use != Use::many_threads) {}
  ~BufferPool();
  void count_own(std::int64_t taken) {
    own_in_use_.store(own_in_use_.load(std::memory_order_relaxed) + taken,
                      std::memory_order_relaxed);
  }
  [[nodiscard]] bool is_owner() const {
    return owner_.load(std::memory_order_relaxed) == this_thread_tag();
  }
  Buffer::Block* take_slowly();
  void recycle_other(Buffer::Block* block);
  void give_back(Buffer::Block* block) {
    if (!is_owner() || own_.count >= most_own_) return give_back_slowly(block);
    own_.push(block);
    count_own(-1);
  }
  void give_back_slowly(Buffer::Block* block);
  void count_returned_by_others();
  void publish_shared_count() { shared_count_.store(shared_.count, std::memory_order_relaxed); }
  void release_handle();

  const std::size_t block_bytes_;
  const std::size_t keep_;
  const std::size_t most_own_;
  const bool may_have_owner_;
  // The owner's tag, 0 while there is no owner (not yet, or not any more). Written under lock_; a
  // thread that reads it without the lock only asks whether it is itself the owner.
  std::atomic<std::uintptr_t> owner_{0};
  // Used by the owner alone, and under lock_ once there is no owner any more. Each group of members
  // has cache lines of its own: what others write must take neither the owner's line from the owner
  // nor the constants from everybody.
  alignas(64) FreeList own_;
  std::atomic<std::int64_t> own_in_use_{0};  // written by the owner, read by any
  // The blocks taken less those returned by threads other than the owner, plus `handle` while the
  // handle exists. The thread that brings it to 0 is the last that uses the pool, and deletes it.
  alignas(64) std::atomic<std::int64_t> others_in_use_{handle};
  alignas(64) SpinLock lock_;
  // Under lock_:
  FreeList shared_;
  bool has_handle_ = true;
  // A copy of shared_.count that the owner compares without the lock. Without it, a pool whose own
  // blocks return to the shared list one by one would hold another pool's blocks forever.
  std::atomic<std::size_t> shared_count_{0};
};

}  // namespace roam::core
