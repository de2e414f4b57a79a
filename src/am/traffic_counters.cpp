// SPDX-License-Identifier: Apache-2.0
#include "roam/am/detail/traffic_counters.hpp"

#include "roam/am/detail/messenger_options.hpp"

namespace roam::am {

TrafficCounters::TrafficCounters(const exec::Engine& engine, std::size_t check_every_bytes)
    : slots_(engine.slot_count()),
      outside_slot_(engine.outside_slot()),
      check_every_bytes_(check_every_bytes),
      of_slot_(std::make_unique<OfSlot[]>(slots_)) {}

TrafficCounters::~TrafficCounters() = default;

void TrafficCounters::bump(std::uint32_t slot, std::atomic<std::uint64_t>& counter) {
  if (slot == outside_slot_) {
    counter.fetch_add(1, std::memory_order_release);
  } else {
    add_alone(counter, 1);
  }
}

std::uint64_t TrafficCounters::sum(std::atomic<std::uint64_t> OfSlot::*counter) const {
  std::uint64_t total = 0;
  for (std::uint32_t slot = 0; slot < slots_; ++slot)
    total += (of_slot_[slot].*counter).load(std::memory_order_acquire);
  return total;
}

void TrafficCounters::add_to(MessengerStats& stats) const {
  stats.messages_sent += sum(&OfSlot::messages_sent);
  stats.bytes_sent += sum(&OfSlot::bytes_sent);
}

}  // namespace roam::am
