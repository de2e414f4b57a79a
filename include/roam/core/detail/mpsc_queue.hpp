// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace roam::core {

/// Hook for MpscQueue; derive from it.
struct MpscNode {
  std::atomic<MpscNode*> next{nullptr};
};

/// Intrusive multi-producer single-consumer FIFO (D. Vyukov's algorithm): push is wait-free, pop is
/// lock-free and may report empty while a push is half done. Nodes are owned by whoever holds them;
/// the queue frees nothing.
class MpscQueue {
 public:
  MpscQueue() = default;
  MpscQueue(const MpscQueue&) = delete;
  MpscQueue& operator=(const MpscQueue&) = delete;

  /// Any thread. True if the queue was empty, i.e. if a sleeping consumer has to be woken. A
  /// consumer that sees nullptr from pop() but not empty() must not sleep: the push that ends that
  /// state may return false.
  bool push(MpscNode* node) {
    node->next.store(nullptr, std::memory_order_relaxed);
    // acq_rel: publishes the node's contents and orders us after the previous producer.
    MpscNode* previous = head_.exchange(node, std::memory_order_acq_rel);
    previous->next.store(node, std::memory_order_release);
    return previous == &sentinel_;
  }

  /// Takes the oldest node; one consumer at a time. nullptr if the queue is empty, or if the oldest
  /// push has not finished yet.
  [[nodiscard]] MpscNode* pop() {
    MpscNode* tail = tail_;
    MpscNode* next = tail->next.load(std::memory_order_acquire);
    if (tail == &sentinel_) {
      if (next == nullptr) return nullptr;
      tail_ = next;
      tail = next;
      next = next->next.load(std::memory_order_acquire);
    }
    if (next != nullptr) {
      tail_ = next;
      return tail;
    }
    if (tail != head_.load(std::memory_order_acquire)) return nullptr;
    push(&sentinel_);
    next = tail->next.load(std::memory_order_acquire);
    if (next == nullptr) return nullptr;
    tail_ = next;
    return tail;
  }

  /// Consumer only. May say "not empty" for a push in progress.
  [[nodiscard]] bool empty() const {
    return tail_ == &sentinel_ && head_.load(std::memory_order_acquire) == &sentinel_;
  }

 private:
  // The sentinel and the head share a cache line: while the queue is empty, a producer needs both
  // to link its node, and the consumer, which watches sentinel_.next, needs both to see that the
  // node is the last. Together they are one transfer between cores instead of two.
  alignas(64) MpscNode sentinel_;
  std::atomic<MpscNode*> head_{
      &sentinel_};  // written by producers, and by the consumer with the sentinel
  alignas(64) MpscNode* tail_{&sentinel_};  // written by the consumer
};

}  // namespace roam::core
