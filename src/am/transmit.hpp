// SPDX-License-Identifier: Apache-2.0
#pragma once

// The functions of SendPath and TransmitQueue that are inlined into the sources that send and poll:
// the time of a message depends on it.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <utility>

#include "am/credits.hpp"
#include "roam/am/detail/coalescer.hpp"
#include "roam/am/detail/send_path.hpp"
#include "roam/am/detail/transmit_queue.hpp"
#include "roam/am/detail/wire.hpp"

namespace roam::am {

// --- TransmitQueue ---

inline void TransmitQueue::number(Rank destination, core::Buffer& message) {
  if (is_ordered_) return;
  const std::uint32_t sequence = next_sequence_[destination.value()]++;
  std::memcpy(message.data() + offsetof(WireHeader, sequence), &sequence, sizeof sequence);
}

inline bool TransmitQueue::has_to_wait(Rank destination) const {
  return credits_ != nullptr && credits_->is_blocked(destination);
}

[[gnu::always_inline]] inline void TransmitQueue::put(Rank destination, core::Buffer&& message) {
  if (has_to_wait(destination)) return wait_for_credit(destination, std::move(message), {}, 0);
  const auto send = [this](Rank to, core::Buffer&& batch) { send_one(to, std::move(batch)); };
  if (coalescer_ != nullptr && coalescer_->add(destination, message, send)) return;
  if (credits_ != nullptr && !credits_->take(destination, message.size()))
    return hold_for_credit(destination, std::move(message), {}, 0);
  number(destination, message);
  endpoint_.send(destination, std::move(message));
}

inline void TransmitQueue::flush_batches() {
  if (coalescer_ == nullptr) return;
  coalescer_->flush_all([this](Rank to, core::Buffer&& batch) { send_one(to, std::move(batch)); });
}

inline void TransmitQueue::give_due_credit(Instant now) {
  if (credits_ != nullptr && credits_->is_due()) give_credit(now);
}

// --- SendPath ---

// The thread that held the lock may have drained the outbox before another thread's push; so it
// looks again after releasing the lock.
inline void SendPath::drain_what_came_meanwhile() {
  while (outbox_.has_some() && lock_.try_lock()) {
    const core::LockGuard guard(lock_, std::adopt_lock);
    if (outbox_.may_have_some()) drain_outbox();
  }
}

[[gnu::always_inline]] inline void SendPath::transmit(Rank destination, core::Buffer&& message) {
  if (is_direct_) return send_directly(destination, std::move(message));
  if (lock_.is_polling_here()) return queue_.put(destination, std::move(message));
  if (!lock_.try_lock()) return put_into_outbox(destination, std::move(message), {}, 0);
  {
    const core::LockGuard guard(lock_, std::adopt_lock);
    if (outbox_.may_have_some()) drain_outbox();
    queue_.put(destination, std::move(message));
  }
  drain_what_came_meanwhile();
}

template <class Receive>
[[gnu::always_inline]] inline std::size_t SendPath::poll_in_turn(Instant now, Receive&& receive) {
  if (!lock_.try_lock()) return 0;
  const EndpointLock::Polling polling(lock_);
  if (outbox_.may_have_some()) drain_outbox();
  queue_.flush_batches();
  const std::size_t done = receive();
  queue_.flush_batches();  // what system handlers have put into batches meanwhile
  queue_.give_due_credit(now);
  return done;
}

}  // namespace roam::am
