// SPDX-License-Identifier: Apache-2.0
#include "roam/am/detail/transmit_queue.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "own_messages.hpp"
#include "roam/am/detail/message_memory.hpp"
#include "roam/am/detail/traffic_counters.hpp"
#include "roam/core/error.hpp"

#include "am/transmit.hpp"

namespace roam::am {

TransmitQueue::TransmitQueue(const Parts& parts, SendPath& path)
    : endpoint_(parts.endpoint),
      engine_(parts.engine),
      flow_(parts.flow),
      credits_(parts.flow.credits()),
      coalescer_(parts.coalescer),
      memory_(parts.memory),
      traffic_(parts.traffic),
      path_(path),
      is_ordered_(parts.endpoint.capabilities().ordered) {}

void TransmitQueue::put(Rank destination, core::Buffer&& message, core::Buffer&& bulk,
                        transport::BulkTag tag) {
  if (!bulk) return put(destination, std::move(message));
  if (has_to_wait(destination))
    return wait_for_credit(destination, std::move(message), std::move(bulk), tag);
  flush_batch(destination);
  send_one(destination, std::move(message), std::move(bulk), tag);
}

void TransmitQueue::send_one(Rank destination, core::Buffer&& message, core::Buffer&& bulk,
                             transport::BulkTag tag) {
  if (credits_ != nullptr) {
    if (credits_->is_blocked(destination))
      return hold_for_credit(destination, std::move(message), std::move(bulk), tag);
    credits_->count_sent(destination, Credits::charge(message, bulk));
  }
  send_now(destination, std::move(message), std::move(bulk), tag);
}

void TransmitQueue::send_now(Rank destination, core::Buffer&& message, core::Buffer&& bulk,
                             transport::BulkTag tag) {
  number(destination, message);
  endpoint_.send(destination, std::move(message));
  if (bulk) endpoint_.send_bulk(destination, tag, std::move(bulk));
}

// --- batches ---

void TransmitQueue::flush_batch(Rank destination) {
  if (coalescer_ == nullptr) return;
  coalescer_->flush(destination,
                    [this](Rank to, core::Buffer&& batch) { send_one(to, std::move(batch)); });
}

std::byte* TransmitQueue::extend_batch(std::uint32_t handler, std::size_t payload_bytes) {
  return coalescer_->put(handler, payload_bytes,
                         [this](Rank to, core::Buffer&& batch) { send_one(to, std::move(batch)); });
}

// --- credit ---

bool TransmitQueue::may_wait(const core::Buffer& message, const core::Buffer& bulk) const {
  WireHeader header;
  std::memcpy(&header, message.data(), sizeof header);
  if ((header.flags & WireHeader::announce) != 0) std::memcpy(&header, bulk.data(), sizeof header);
  return (header.flags & WireHeader::counted) != 0 ||
         std::ranges::find(waiting_, header.handler) != waiting_.end();
}

// Messages that are no work of the program (a grant, the news that the job is over) do not wait: a
// rank that waits for credit may depend on them. There are few of them.
void TransmitQueue::wait_for_credit(Rank destination, core::Buffer&& message, core::Buffer&& bulk,
                                    transport::BulkTag tag) {
  if (!may_wait(message, bulk)) {
    credits_->count_sent(destination, Credits::charge(message, bulk));
    return send_now(destination, std::move(message), std::move(bulk), tag);
  }
  flush_batch(destination);  // older messages go first
  hold_for_credit(destination, std::move(message), std::move(bulk), tag);
}

// The message must not be sent before the virtual time that the handler has reached.
void TransmitQueue::hold_for_credit(Rank destination, core::Buffer&& message, core::Buffer&& bulk,
                                    transport::BulkTag tag) {
  if (!engine_.is_ahead_of_time())
    return credits_->hold(destination, {std::move(message), std::move(bulk), tag});
  path_.transmit_in_time(destination, std::move(message), std::move(bulk), tag);
}

void TransmitQueue::send_waiting(Rank destination) {
  credits_->send_waiting(destination, [this, destination](Credits::Waiting&& waiting) {
    send_now(destination, std::move(waiting.message), std::move(waiting.bulk), waiting.tag);
  });
}

void TransmitQueue::send_all_waiting() {
  if (credits_ == nullptr) return;
  for (const Rank rank : credits_->waited_for()) {
    credits_->send_without_credit(rank, [this, rank](Credits::Waiting&& waiting) {
      send_now(rank, std::move(waiting.message), std::move(waiting.bulk), waiting.tag);
    });
  }
}

void TransmitQueue::send_without_grants(Rank lost) {
  if (credits_ == nullptr) return;
  credits_->grant_all_to(lost);
  send_waiting(lost);
}

void TransmitQueue::on_credit(const Credit& credit, Rank source) {
  if (credits_ != nullptr && credits_->has_all_from(source)) return;  // a helper that is lost
  if (credits_ == nullptr || !credits_->take_grant(source, credit.total_bytes))
    throw MalformedMessage("credit for what was not sent");
  send_waiting(source);
}

void TransmitQueue::give_credit(Instant now) {
  if (flow_.withholds_credit(now)) return;
  credits_->grant_due([this](Rank source, std::uint64_t total) { grant(source, total); });
}

void TransmitQueue::grant(Rank source, std::uint64_t total_bytes) {
  constexpr std::size_t bytes = sizeof(WireHeader) + layout_bytes<Credit>;
  const std::uint32_t slot = engine_.this_slot();
  core::Buffer message = memory_.take(slot, bytes);
  message.set_size(bytes);
  constexpr WireHeader header{.handler = message_id<Credit>,
                              .checked_size = static_cast<std::uint32_t>(bytes)};
  std::memcpy(message.data(), &header, sizeof header);
  store_fields(message.data() + sizeof header, Credit{total_bytes});
  static_cast<void>(traffic_.count_sent(slot, bytes, false));
  credits_->count_sent(source, Credits::charge(bytes));
  send_now(source, std::move(message), {}, 0);
}

void TransmitQueue::let_wait(std::uint32_t handler) { waiting_.push_back(handler); }

}  // namespace roam::am
