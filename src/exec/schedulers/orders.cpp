// SPDX-License-Identifier: Apache-2.0
// The schedulers that come with Roam; each is an order of ready items.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "roam/exec/detail/ready_queue.hpp"
#include "roam/exec/schedulers.hpp"
#include "shared.hpp"

namespace roam::exec {
namespace {

class OldestFirst {
 public:
  static constexpr bool keeps_push_order = true;
  void push(ReadyItem* item) {
    item->next = nullptr;
    (head_ == nullptr ? head_ : tail_->next) = item;
    tail_ = item;
  }
  [[nodiscard]] ReadyItem* pop() {
    return head_ == nullptr ? nullptr : std::exchange(head_, head_->next);
  }

 private:
  ReadyItem* head_ = nullptr;
  ReadyItem* tail_ = nullptr;  // if there is a head
};

class NewestFirst {
 public:
  static constexpr bool keeps_push_order = false;
  void push(ReadyItem* item) {
    item->next = head_;
    head_ = item;
  }
  [[nodiscard]] ReadyItem* pop() {
    return head_ == nullptr ? nullptr : std::exchange(head_, head_->next);
  }

 private:
  ReadyItem* head_ = nullptr;
};

class MostUrgentFirst : public ReadyQueue {
 public:
  static constexpr bool keeps_push_order = true;
};

/// Longest processing time first (Graham 1969), within a priority. Items that belong to no object
/// go first: other work depends on them.
class LargestFirst {
 public:
  static constexpr bool keeps_push_order = false;
  void push(ReadyItem* item) {
    const bool is_known = item->announced_work >= 0;  // false for a NaN
    heap_.push_back(
        {item, is_known ? item->announced_work : std::numeric_limits<float>::infinity(), count_++});
    std::ranges::push_heap(heap_, runs_later);
  }
  [[nodiscard]] ReadyItem* pop() {
    if (heap_.empty()) return nullptr;
    std::ranges::pop_heap(heap_, runs_later);
    ReadyItem* const item = heap_.back().item;
    heap_.pop_back();
    return item;
  }

 private:
  struct Entry {
    ReadyItem* item;
    float work;
    std::uint64_t number;  // counts the pushes
  };
  static bool runs_later(const Entry& a, const Entry& b) {
    if (a.item->priority != b.item->priority) return a.item->priority > b.item->priority;
    if (a.work != b.work) return a.work < b.work;
    return a.number > b.number;
  }
  std::vector<Entry> heap_;
  std::uint64_t count_ = 0;
};

template <class Queue>
std::unique_ptr<Scheduler> create_shared(const plugin::Parameters&, WorkerIndex) {
  return std::make_unique<SharedScheduler<Queue>>();
}

const SchedulerRegistrar stealing_scheduler{
    {.name = "stealing",
     .description = "a queue per worker by priority, then age; idle workers steal",
     .parameters = {},
     .create = [](const plugin::Parameters&, WorkerIndex) {
       return std::unique_ptr<Scheduler>();
     }}};

const SchedulerRegistrar fifo_scheduler{{.name = "fifo",
                                         .description = "oldest first over the whole rank",
                                         .parameters = {},
                                         .create = create_shared<OldestFirst>}};

const SchedulerRegistrar lifo_scheduler{{.name = "lifo",
                                         .description = "newest first over the whole rank",
                                         .parameters = {},
                                         .create = create_shared<NewestFirst>}};

const SchedulerRegistrar priority_scheduler{
    {.name = "priority",
     .description = "by priority, then oldest first, over the whole rank",
     .parameters = {},
     .create = create_shared<MostUrgentFirst>}};

const SchedulerRegistrar largest_first_scheduler{
    {.name = "largest_first",
     .description = "by priority, then the object with the most announced work",
     .parameters = {},
     .create = create_shared<LargestFirst>}};

}  // namespace
}  // namespace roam::exec
