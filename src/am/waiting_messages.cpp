// SPDX-License-Identifier: Apache-2.0
// The part of Messenger that stores messages until there is credit for them, and gives credit (A3).
#include <cstring>
#include <memory>
#include <utility>

#include "outbox_node.hpp"
#include "own_messages.hpp"
#include "roam/am/detail/messenger.hpp"

#include "am/credits.hpp"

namespace roam::am {

namespace {

bool is_counted(const core::Buffer& message, const core::Buffer& bulk) {
  WireHeader header;
  std::memcpy(&header, message.data(), sizeof header);
  if ((header.flags & WireHeader::announce) != 0) std::memcpy(&header, bulk.data(), sizeof header);
  return (header.flags & WireHeader::counted) != 0;
}

}  // namespace

// Messages that are no work of the program (a grant, the news that the job is over) do not wait: a
// rank that waits for credit may depend on them. There are few of them.
void Messenger::wait_for_credit(Rank destination, core::Buffer&& message, core::Buffer&& bulk,
                                std::uint32_t tag) {
  if (!is_counted(message, bulk)) {
    credits().count_sent(destination, Credits::charge(message, bulk));
    return send_now(destination, std::move(message), std::move(bulk), tag);
  }
  if (coalescer_ != nullptr) {  // older messages go first
    coalescer_->flush(destination,
                      [this](Rank to, core::Buffer&& batch) { send_one(to, std::move(batch)); });
  }
  hold_for_credit(destination, std::move(message), std::move(bulk), tag);
}

void Messenger::hold_for_credit(Rank destination, core::Buffer&& message, core::Buffer&& bulk,
                                std::uint32_t tag) {
  if (!engine_.is_ahead_of_time())
    return credits().hold(destination, {std::move(message), std::move(bulk), tag});
  transmit_in_time(destination, std::move(message), std::move(bulk), tag);
}

// The message must not be sent before the virtual time that the handler has reached.
void Messenger::transmit_in_time(Rank destination, core::Buffer&& message, core::Buffer&& bulk,
                                 std::uint32_t tag) {
  auto node = std::make_shared<OutboxNode>();
  node->destination = destination;
  node->message = std::move(message);
  node->bulk = std::move(bulk);
  node->tag = tag;
  engine_.call_at(engine_.now(), [this, node] {
    transmit(node->destination, std::move(node->message), std::move(node->bulk), node->tag);
  });
}

void Messenger::send_waiting(Rank destination) {
  credits().send_waiting(destination, [this, destination](Credits::Waiting&& waiting) {
    send_now(destination, std::move(waiting.message), std::move(waiting.bulk), waiting.tag);
  });
}

// Called because this rank will receive no grants for a while, or ever again, and others may wait
// for what it has sent.
void Messenger::send_all_waiting() {
  for (const Rank rank : credits().waited_for()) {
    credits().send_without_credit(rank, [this, rank](Credits::Waiting&& waiting) {
      send_now(rank, std::move(waiting.message), std::move(waiting.bulk), waiting.tag);
    });
  }
}

void Messenger::on_credit(const Credit& credit, Rank source) {
  if (flow_.credits() == nullptr || !credits().take_grant(source, credit.total_bytes))
    throw MalformedMessage("credit for what was not sent");
  send_waiting(source);
}

void Messenger::give_credit(Instant now) {
  if (flow_.withholds_credit(now)) return;
  credits().grant_due([this](Rank source, std::uint64_t total) {
    core::Buffer message = begin(Credit{total}).take().take();
    WireHeader header;
    header.handler = message_id<Credit>;
    header.checked_size = static_cast<std::uint32_t>(message.size());
    std::memcpy(message.data(), &header, sizeof header);
    static_cast<void>(traffic_.count_sent(slot_here(), message.size(), false));
    credits().count_sent(source, Credits::charge(message.size()));
    send_now(source, std::move(message), {}, 0);
  });
}

}  // namespace roam::am
