// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "roam/core/detail/buffer.hpp"

namespace roam::core {

/// First-in-first-out queue that hands buffers from any threads to one, and takes the least time
/// from core to core: a push writes one cache line that the consumer looks at, and that line says
/// all about the buffer. push is wait-free; until a push has finished, the consumer does not see
/// what was pushed after it.
///
/// As in D. Vyukov's queue, producers exchange the end and then tie their node to the one before.
/// But the nodes are links separate from the buffers, and what is handed over is written into the
/// link before its own. So the link read last stays behind as the end of an empty queue, the
/// consumer writes nothing that producers need, and it may do with the last buffer as it likes.
/// Each buffer taken carries away the link that has become unused, for its own next push: links are
/// made once for each block.
class HandoverQueue {
 public:
  /// What take() would give next: the word pushed with the buffer, and its size.
  struct Front {
    std::uint64_t note;
    std::size_t bytes;  // the buffer's size()
  };

  HandoverQueue() : read_(new Link), newest_(read_) {}
  HandoverQueue(const HandoverQueue&) = delete;
  HandoverQueue& operator=(const HandoverQueue&) = delete;
  /// Frees what is in the queue. No other thread may use it any more.
  ~HandoverQueue() {
    while (front()) take().reset();
    delete read_;
  }

  /// Any thread. Requires a buffer with a block. Allocates if the block goes through such a queue
  /// for the first time.
  void push(Buffer&& buffer, std::uint64_t note) {
    Buffer::Block* const block = std::exchange(buffer.block_, nullptr);
    Link* const link = block->link != nullptr ? block->link : new Link;
    const std::size_t bytes = block->size;
    // release: publishes the block, and the link without a successor, to the producer that follows;
    // acquire: the link before is as its producer left it. seq_cst: see is_empty().
    Link* const before = newest_.exchange(link, std::memory_order_seq_cst);
    before->block = block;
    before->note = note;
    before->bytes = bytes;
    before->next.store(link, std::memory_order_release);
  }

  /// Consumer only: what take() would give next; nullopt if there is nothing, or if the oldest push
  /// has not finished.
  [[nodiscard]] std::optional<Front> front() const {
    // acquire: pairs with the end of push().
    if (read_->next.load(std::memory_order_acquire) == nullptr) return std::nullopt;
    // The block's contents are still in the cache of the producer's core.
    __builtin_prefetch(read_->block);
    __builtin_prefetch(read_->block + 1);
    return Front{read_->note, read_->bytes};
  }
  /// Consumer only, after front() has found something.
  [[nodiscard]] Buffer take() {
    Link* const link = read_;
    Buffer::Block* const block = link->block;
    read_ = link->next.load(std::memory_order_relaxed);  // front() has acquired it
    // The unused link serves the block's next push. relaxed: that push publishes it.
    link->next.store(nullptr, std::memory_order_relaxed);
    block->link = link;
    return Buffer(block);
  }
  /// Consumer only. False also while a push is half done. Wake-ups are not lost if both sides use
  /// seq_cst: a consumer that announces its sleep and then calls this, and a producer that pushes
  /// and then looks for announcements, cannot miss each other.
  [[nodiscard]] bool is_empty() const { return newest_.load(std::memory_order_seq_cst) == read_; }

 private:
  using Link = Buffer::Link;
  alignas(64) Link* read_;                 // the consumer's; its successor is read next
  alignas(64) std::atomic<Link*> newest_;  // written by producers
};

}  // namespace roam::core
