// SPDX-License-Identifier: Apache-2.0
// The part of Engine that runs items inside a handler that is held back.
#include <algorithm>
#include <utility>

#include "roam/exec/engine.hpp"

namespace roam::exec {

bool Engine::help_run(Duration duration) {
  Slot& slot = *slots_[this_slot()];
  if (slot.context.slot >= options_.workers || virtual_clock_ != nullptr ||
      slot.nesting >= deepest_nesting)
    return false;
  const Context outer = slot.context;
  const Instant begin = now();
  // The trace shows the held-back handler in parts, as it does a coroutine, so that no moment is
  // counted twice.
  const Instant part = std::max(outer.run_begin, slot.nested_until);
  const bool has_part = observer_ != nullptr && begin > part;
  ++slot.nesting;
  Instant end = begin;
  bool ran = false;
  while (!stopped() && (!ran || end - begin < duration)) {
    if (!run_nested(slot, outer.several)) break;
    if (!std::exchange(ran, true) && has_part) observer_->ran(outer, part, begin);
    end = slot.nested_until;
  }
  --slot.nesting;
  slot.context = outer;
  slot.context.run_begin += end - begin;
  return ran;
}

// Runs one item, or the next handler of the item to which the held-back one belongs. The outermost
// run continues to count the worker's busy time.
bool Engine::run_nested(Slot& slot, SeveralRuns* several) {
  Context& context = slot.context;
  const Instant begin = now();
  context.run_begin = begin;
  context.execution = nullptr;
  context.finished = nullptr;
  context.label = nullptr;
  context.runs = 1;
  context.subject = ObjectId();
  context.several = several;
  context.epoch = 0;
  ReadyItem* item = nullptr;
  if (several == nullptr || !several->run_next(context)) {
    item = slot.next != nullptr ? std::exchange(slot.next, nullptr) : scheduler_->pop(context.slot);
    if (item == nullptr) return false;
    context.several = nullptr;
    item->run(context);
  }
  const Instant end = now();
  context.run_time = end - context.run_begin;
  slot.stats.add_busy(Duration::zero(), context.runs);
  if (observer_ != nullptr) observer_->ran(context, std::max(begin, slot.nested_until), end);
  slot.nested_until = end;
  context.execution = nullptr;
  if (context.finished != nullptr) context.finished->finish(context);
  if (item != nullptr)
    slot.finished.store(slot.finished.load(std::memory_order_relaxed) + 1,
                        std::memory_order_release);
  return true;
}

}  // namespace roam::exec
