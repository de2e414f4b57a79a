// SPDX-License-Identifier: Apache-2.0
// The part of Messenger for its figures, and for the memory that it uses all the time.
#include "roam/am/detail/messenger.hpp"

#include "am/credits.hpp"

namespace roam::am {

std::uint64_t Messenger::counted_sent() const {
  const std::uint64_t put_into_batches = coalescer_ != nullptr ? coalescer_->messages_put() : 0;
  return put_into_batches + traffic_.counted_sent();
}

std::uint64_t Messenger::counted_received() const { return traffic_.counted_received(); }

MessengerStats Messenger::stats() const {
  MessengerStats stats;
  traffic_.add_to(stats);
  if (coalescer_ != nullptr) {
    stats.messages_sent += coalescer_->messages_put();
    stats.bytes_sent += coalescer_->bytes_put();
  }
  flow_.add_to(stats);
  return stats;
}

void Messenger::add_to(exec::WorkingSet& set) const {
  set.add(*this);
  if (flow_.credits() != nullptr) credits().add_to(set);
  traffic_.add_to(set);
  memory_.add_to(set);
  set.add(endpoint_);
}

}  // namespace roam::am
