// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "roam/core/types.hpp"
#include "roam/exec/ready_item.hpp"

namespace roam::exec {

/// A queue of ready items: higher priorities first, the oldest first within a priority. Not
/// thread-safe.
class ReadyQueue {
 public:
  void push(ReadyItem* item) {
    item->next = nullptr;
    Fifo& fifo = fifos_[static_cast<std::size_t>(item->priority)];
    (fifo.head == nullptr ? fifo.head : fifo.tail->next) = item;
    fifo.tail = item;
  }
  /// Takes the next item; nullptr if there is none.
  [[nodiscard]] ReadyItem* pop() {
    for (Fifo& fifo : fifos_) {
      if (fifo.head != nullptr) return std::exchange(fifo.head, fifo.head->next);
    }
    return nullptr;
  }
  /// Takes all items of `other` and puts them behind its own.
  void append(ReadyQueue& other) {
    for (std::size_t i = 0; i < priority_count; ++i) {
      Fifo& from = other.fifos_[i];
      if (from.head == nullptr) continue;
      Fifo& to = fifos_[i];
      (to.head == nullptr ? to.head : to.tail->next) = std::exchange(from.head, nullptr);
      to.tail = from.tail;
    }
  }

 private:
  struct Fifo {
    ReadyItem* head = nullptr;
    ReadyItem* tail = nullptr;  // if there is a head
  };
  Fifo fifos_[priority_count];
};

}  // namespace roam::exec
