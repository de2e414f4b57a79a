// SPDX-License-Identifier: Apache-2.0
// What Messenger has counted, and what memory it uses all the time.
#include "roam/am/messenger.hpp"

namespace roam::am {

namespace {
std::uint64_t sum(std::uint32_t count, const auto& field) {
  std::uint64_t total = 0;
  for (std::uint32_t i = 0; i < count; ++i) total += field(i).load(std::memory_order_acquire);
  return total;
}
}  // namespace

std::uint64_t Messenger::counted_sent() const {
  const std::uint64_t put_into_batches = coalescer_ != nullptr ? coalescer_->messages_put() : 0;
  return put_into_batches +
         sum(
             engine_.slot_count(), [&](auto i) -> auto& { return traffic_[i].counted_sent; });
}

std::uint64_t Messenger::counted_received() const {
  const std::uint64_t outside_poll = sum(
      engine_.slot_count(), [&](auto i) -> auto& { return traffic_[i].counted_received; });
  return outside_poll + counted_in_poll_.load(std::memory_order_acquire);
}

MessengerStats Messenger::stats() const {
  MessengerStats stats;
  stats.messages_sent = sum(
      engine_.slot_count(), [&](auto i) -> auto& { return traffic_[i].messages_sent; });
  stats.bytes_sent = sum(
      engine_.slot_count(), [&](auto i) -> auto& { return traffic_[i].bytes_sent; });
  if (coalescer_ != nullptr) {
    stats.messages_sent += coalescer_->messages_put();
    stats.bytes_sent += coalescer_->bytes_put();
  }
  stats.messages_received = messages_received_.load(std::memory_order_relaxed);
  stats.bytes_received = bytes_received_.load(std::memory_order_relaxed);
  stats.messages_rejected = messages_rejected_.load(std::memory_order_relaxed);
  stats.held_bytes = held_bytes();
  stats.most_held_bytes = most_held_bytes_.load(std::memory_order_relaxed);
  stats.times_held_back = times_held_back_.load(std::memory_order_relaxed);
  if (credits_ != nullptr) {
    stats.waiting_bytes = credits_->waiting_bytes();
    stats.most_waiting_bytes = credits_->most_waiting_bytes();
  }
  return stats;
}

void Messenger::add_to(exec::WorkingSet& set) const {
  set.add(*this);
  if (credits_ != nullptr) credits_->add_to(set);
  set.add(traffic_[0]);
  set.add(pools_[0]);
  set.add(*pools_[0]);
  set.add(endpoint_);
}

}  // namespace roam::am
