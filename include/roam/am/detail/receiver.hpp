// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "roam/am/detail/arrival_order.hpp"
#include "roam/am/detail/bulk_receiver.hpp"
#include "roam/am/detail/dispatcher.hpp"
#include "roam/am/detail/flow_control.hpp"
#include "roam/am/detail/transmit_queue.hpp"
#include "roam/transport/endpoint.hpp"

namespace roam::am {

/// Receives the messages of one rank: checks them (A7), puts them in order (A2), and gives each to
/// the Dispatcher when its turn has come. Inside poll(), one thread at a time.
class Receiver final : private transport::Sink {
 public:
  /// The parts that it shares with the sender of its rank.
  struct Parts {
    FlowControl& flow;
    MessageMemory& memory;
    TransmitQueue& queue;  // where messages may wait for a rank that is lost
  };
  Receiver(Messenger& messenger, transport::Endpoint& endpoint, const Parts& parts);
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;

  /// Handles some of the messages that have arrived; returns how many. After a silence the first
  /// message is handled before the network is asked for a second one; while messages keep coming,
  /// more are taken at a time.
  [[gnu::always_inline]] std::size_t take_arrivals(Instant now) {
    const std::size_t done = endpoint_.progress(*this, arrivals_limit_);
    if (done == 0) {
      arrivals_limit_ = 1;
      flow_.note_silence(now);
    } else {
      if (done >= arrivals_limit_)
        arrivals_limit_ = std::min(2 * arrivals_limit_, most_arrivals_per_poll);
      flow_.note_arrivals();
    }
    return done;
  }
  [[nodiscard]] Dispatcher& dispatcher() { return dispatcher_; }
  [[nodiscard]] const ArrivalCounters& counters() const { return dispatcher_.counters(); }

  /// Before the first message.
  void set_bulk_receiver(BulkReceiver* receiver) { bulk_receiver_ = receiver; }
  /// Failures of the network, and others that concern the job, are reported there.
  void set_failure_handler(std::function<void(const std::string&)> handler);
  /// The loss of a helper is reported there, and not as a failure. Before the first message.
  void set_loss_listener(std::function<void(Rank helper, const char* reason)> listener);
  void report_failure(const std::string& report);

 private:
  // The most messages taken from the network in one turn, so that a flood of them does not keep a
  // worker from its handlers.
  static constexpr std::size_t most_arrivals_per_poll = 64;

  // transport::Sink:
  void message(Rank source, core::Buffer&& data) override;
  void bulk(Rank source, transport::BulkTag tag, core::Buffer&& data) override;
  void peer_failed(Rank peer, const char* reason) override;

  void receive(Rank source, core::Buffer&& data);
  void hand_over_at_once(const HandlerTable::Entry& handler, Rank source, core::Buffer&& data);
  /// Handles a message that may have to wait, or does not come alone.
  void message_in_turn(Rank source, core::Buffer&& data);
  void in_sequence(Rank source, const WireHeader& header, core::Buffer&& data);
  void in_order(Rank source, const WireHeader& header, core::Buffer&& data);
  void announced(Rank source, const core::Buffer& data);
  void announced_beside(Rank source, const WireHeader& header, core::Buffer&& data);
  void announced_attached(Rank source, core::Buffer&& data);
  void land(Rank source, const WireHeader& header, core::Buffer&& data, core::Buffer&& beside);
  /// Counts a message that is not valid (A7).
  void reject(Rank source, const char* why);

  transport::Endpoint& endpoint_;
  FlowControl& flow_;
  TransmitQueue& queue_;
  const std::int32_t size_;  // the number of ranks of the job, without helpers
  const std::size_t largest_transfer_bytes_;
  const bool is_ordered_;  // the network keeps the order
  Dispatcher dispatcher_;
  const bool runs_next_at_once_;  // nothing else has to be done: see message()
  ArrivalOrder arrivals_;
  std::size_t arrivals_limit_ = 1;
  BulkReceiver* bulk_receiver_ = nullptr;
  std::function<void(const std::string&)> on_failure_;
  std::function<void(Rank, const char*)> on_loss_;
};

}  // namespace roam::am
