// SPDX-License-Identifier: Apache-2.0
#include "roam/trace/detail/event_log.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <unordered_map>

#include "roam/trace/run_trace.hpp"

namespace roam::trace {

namespace {

constexpr std::size_t smallest_chunk = 64;
constexpr std::size_t largest_chunk = 8192;

/// Maps static strings to indices into a table that has each text once, even if several addresses
/// have the same text.
class LabelTable {
 public:
  explicit LabelTable(std::vector<std::string>& labels) : labels_(labels) {
    for (std::uint32_t i = 0; i < labels.size(); ++i) by_text_.emplace(labels[i], i);
  }
  std::uint32_t index(const char* label) {
    const auto [known, is_new] = by_address_.try_emplace(label, 0);
    if (is_new) known->second = index_of_text(label == nullptr ? "unnamed" : label);
    return known->second;
  }

 private:
  std::uint32_t index_of_text(const std::string& text) {
    const auto [known, is_new] =
        by_text_.try_emplace(text, static_cast<std::uint32_t>(labels_.size()));
    if (is_new) labels_.push_back(text);
    return known->second;
  }
  std::vector<std::string>& labels_;
  std::unordered_map<const char*, std::uint32_t> by_address_;
  std::unordered_map<std::string, std::uint32_t> by_text_;
};

}  // namespace

EventLog::EventLog(std::uint32_t slots, std::size_t events_per_slot)
    : slot_count_(slots),
      events_per_slot_(events_per_slot),
      slots_(std::make_unique<Slot[]>(slots)) {}

EventLog::~EventLog() = default;

// Lack of memory has the same effect as the bound: events are dropped, because a trace is not worth
// the run.
bool EventLog::grow(Slot& slot) noexcept {
  const std::size_t wanted = std::clamp(slot.capacity, smallest_chunk, largest_chunk);
  const std::size_t count = std::min(wanted, events_per_slot_ - slot.capacity);
  if (count > 0) {
    try {
      auto events = std::make_unique_for_overwrite<Event[]>(count);
      Event* const first = events.get();
      const std::lock_guard guard(slot.lock);
      slot.chunks.push_back({std::move(events), count});
      slot.next.store(first, std::memory_order_relaxed);  // others read it under the lock only
      slot.end = first + count;
      slot.capacity += count;
      return true;
    } catch (const std::bad_alloc&) {
    }
  }
  slot.dropped.fetch_add(1, std::memory_order_relaxed);
  return false;
}

void EventLog::migration(Instant time, ObjectId object, Rank from, Rank to,
                         std::uint64_t bytes) noexcept {
  const std::lock_guard guard(migrations_lock_);
  try {
    if (migrations_.size() < events_per_slot_) {
      migrations_.push_back({time, object, from, to, bytes});
      return;
    }
  } catch (const std::bad_alloc&) {
  }
  ++migrations_dropped_;
}

void EventLog::add_to(RankTrace& trace) const {
  LabelTable labels(trace.labels);
  for (std::uint32_t s = 0; s < slot_count_; ++s) {
    const Slot& slot = slots_[s];
    const std::lock_guard guard(slot.lock);
    for (const Chunk& chunk : slot.chunks) {
      const Event* const first = chunk.events.get();
      const bool is_last = &chunk == &slot.chunks.back();
      const Event* const last =
          is_last ? slot.next.load(std::memory_order_acquire) : first + chunk.capacity;
      for (const Event* e = first; e != last; ++e) {
        trace.events.push_back({e->object, e->begin, e->end, labels.index(e->label), s});
      }
    }
  }
  {
    const std::lock_guard guard(migrations_lock_);
    for (const Migration& m : migrations_) {
      trace.migrations.push_back({m.time, m.object, m.from, m.to, m.bytes});
    }
  }
  trace.dropped_events += dropped();
}

std::uint64_t EventLog::dropped() const {
  const std::lock_guard guard(migrations_lock_);
  std::uint64_t total = migrations_dropped_;
  for (std::uint32_t s = 0; s < slot_count_; ++s) {
    total += slots_[s].dropped.load(std::memory_order_relaxed);
  }
  return total;
}

}  // namespace roam::trace
