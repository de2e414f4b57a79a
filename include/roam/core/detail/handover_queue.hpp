// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "roam/core/detail/buffer.hpp"

namespace roam::core {

/// First-in-first-out queue that hands buffers from any threads to one, for the least time from
/// core to core: a push writes one cache line that the consumer looks at, and that line tells all
/// about the buffer. push is wait-free; a push that is half done hides what is behind it.
///
/// As in D. Vyukov's queue, producers exchange the end and then tie their node to the one before.
/// But nodes are links beside the buffers, and what is handed over lies in the link before its own:
/// the link read last stays behind as the end of an empty queue, so the consumer writes nothing
/// that producers need, and may do with the last buffer as it likes. The link left over goes along
/// with the buffer, whose next push takes it: links are made once for each block.
class HandoverQueue {
 public:
  /// What is handed over, and a word about it.
  struct Front {
    std::uint64_t note;
    std::size_t bytes;  // the buffer's size()
  };

  HandoverQueue() : read_(new Link), newest_(read_) {}
  HandoverQueue(const HandoverQueue&) = delete;
  HandoverQueue& operator=(const HandoverQueue&) = delete;
  /// No other thread uses the queue any more. Frees what is in it.
  ~HandoverQueue() {
    while (front()) take().reset();
    delete read_;
  }

  /// Any thread. Requires a block. Allocates if the block goes through such a queue for the first
  /// time.
  void push(Buffer&& buffer, std::uint64_t note) {
    Buffer::Block* const block = std::exchange(buffer.block_, nullptr);
    Link* const link = block->link != nullptr ? block->link : new Link;
    const std::size_t bytes = block->size;
    // release: publishes the block, and that the link has no successor, to whoever follows on it;
    // acquire: the link before is as its producer left it. seq_cst: see is_empty().
    Link* const before = newest_.exchange(link, std::memory_order_seq_cst);
    before->block = block;
    before->note = note;
    before->bytes = bytes;
    before->next.store(link, std::memory_order_release);
  }

  /// Consumer only: what take() would give next; none if there is nothing, or the oldest push has
  /// not finished.
  [[nodiscard]] std::optional<Front> front() const {
    // acquire: pairs with the end of push().
    if (read_->next.load(std::memory_order_acquire) == nullptr) return std::nullopt;
    // The rest is still at the producer's core.
    __builtin_prefetch(read_->block);
    __builtin_prefetch(read_->block + 1);
    return Front{read_->note, read_->bytes};
  }
  /// Consumer only, after front() has found something.
  [[nodiscard]] Buffer take() {
    Link* const link = read_;
    Buffer::Block* const block = link->block;
    read_ = link->next.load(std::memory_order_relaxed);  // front() has acquired it
    // For its next push. relaxed: that publishes it.
    link->next.store(nullptr, std::memory_order_relaxed);
    block->link = link;
    return Buffer(block);
  }
  /// Consumer only. False for a push half done, too. A consumer that announces its sleep, then sees
  /// this true, and a producer that pushes, then looks for announcements, do not miss each other,
  /// if both use seq_cst.
  [[nodiscard]] bool is_empty() const { return newest_.load(std::memory_order_seq_cst) == read_; }

 private:
  using Link = Buffer::Link;
  alignas(64) Link* read_;                 // the consumer's: its successor is read next
  alignas(64) std::atomic<Link*> newest_;  // written by producers
};

}  // namespace roam::core
