// SPDX-License-Identifier: Apache-2.0
#include "roam/am/detail/receiver.hpp"

#include <bit>
#include <optional>
#include <string>

#include "am/credits.hpp"
#include "roam/am/detail/messenger.hpp"

namespace roam::am {

Receiver::Receiver(Messenger& messenger, transport::Endpoint& endpoint, const Parts& parts)
    : endpoint_(endpoint),
      flow_(parts.flow),
      queue_(parts.queue),
      size_(messenger.size()),
      largest_transfer_bytes_(messenger.largest_transfer_bytes()),
      is_ordered_(endpoint.capabilities().ordered),
      dispatcher_(messenger, parts.memory),
      runs_next_at_once_(dispatcher_.may_run_next() && is_ordered_ && flow_.credits() == nullptr) {}

// The path of most messages from one thread to itself and back, without a function call: all
// conditions are checked before anything is done.
void Receiver::message(Rank source, core::Buffer&& data) {
  const SingleHeader header(data.bytes());
  if (!runs_next_at_once_ || !header.is_valid() || arrivals_.is_awaiting())
    return receive(source, std::move(data));
  const HandlerTable::Entry* entry = dispatcher_.find(header.handler());
  if (entry == nullptr) return receive(source, std::move(data));
  const ProgramHandler* const plain = entry->plain;
  if (plain == nullptr) return hand_over_at_once(*entry, source, std::move(data));
  const std::size_t bytes = data.size();
  if (!dispatcher_.run_next(*plain, source, data)) return receive(source, std::move(data));
  dispatcher_.counters().count_arrivals(source, 1, bytes);
  if (header.is_counted()) dispatcher_.counters().count_taken_in(1);
}

// For message(), which has checked all conditions.
[[gnu::noinline]] void Receiver::hand_over_at_once(const HandlerTable::Entry& handler, Rank source,
                                                   core::Buffer&& data) {
  const bool counted = SingleHeader(data.bytes()).is_counted();
  dispatcher_.hand_over(handler, source, std::move(data), counted);
}

// The path of most messages, in one function.
void Receiver::receive(Rank source, core::Buffer&& data) {
  if (flow_.credits() != nullptr)
    flow_.credits()->count_arrival(source, Credits::charge(data.size()));
  const SingleHeader header(data.bytes());
  if (!header.is_valid() || !is_ordered_ || arrivals_.is_awaiting())
    return message_in_turn(source, std::move(data));
  const HandlerTable::Entry* entry = dispatcher_.find(header.handler());
  if (entry == nullptr) return reject(source, "unknown handler");
  dispatcher_.hand_over(*entry, source, std::move(data), header.is_counted());
}

void Receiver::message_in_turn(Rank source, core::Buffer&& data) {
  WireHeader header;
  if (!read_header(data.bytes(), header)) return reject(source, "bad header");
  if (!is_ordered_) return in_sequence(source, header, std::move(data));
  in_order(source, header, std::move(data));
}

void Receiver::in_sequence(Rank source, const WireHeader& header, core::Buffer&& data) {
  switch (arrivals_.turn_of(source, header.sequence, data)) {
    case ArrivalOrder::Turn::repeated:
      return reject(source, "repeated sequence number");
    case ArrivalOrder::Turn::later:
      return;
    case ArrivalOrder::Turn::now:
      break;
  }
  in_order(source, header, std::move(data));
  while (std::optional<core::Buffer> next = arrivals_.next_in_sequence(source)) {
    WireHeader next_header;
    static_cast<void>(read_header(next->bytes(), next_header));  // it was valid when it came
    in_order(source, next_header, std::move(*next));
  }
}

void Receiver::in_order(Rank source, const WireHeader& header, core::Buffer&& data) {
  if (std::popcount(static_cast<std::uint16_t>(header.flags & WireHeader::with_bulk)) > 1)
    return reject(source, "several kinds of message in one");
  if ((header.flags & WireHeader::beside) != 0)
    return announced_beside(source, header, std::move(data));
  if ((header.flags & WireHeader::attached) != 0)
    return announced_attached(source, std::move(data));
  if ((header.flags & WireHeader::announce) != 0) return announced(source, data);
  if (arrivals_.is_awaiting() && arrivals_.take_behind(source, data)) return;
  dispatcher_.dispatch(source, header, std::move(data));
}

void Receiver::reject(Rank, const char*) { dispatcher_.counters().count_rejected(); }

void Receiver::peer_failed(Rank peer, const char* reason) {
  queue_.send_without_grants(peer);
  if (peer.value() >= size_) {
    if (on_loss_) on_loss_(peer, reason);
    return;
  }
  report_failure("rank " + std::to_string(peer.value()) + " can no longer be reached: " + reason);
}

void Receiver::set_failure_handler(std::function<void(const std::string&)> handler) {
  on_failure_ = std::move(handler);
}

void Receiver::set_loss_listener(std::function<void(Rank helper, const char* reason)> listener) {
  on_loss_ = std::move(listener);
}

void Receiver::report_failure(const std::string& report) {
  if (on_failure_) on_failure_(report);
}

}  // namespace roam::am
