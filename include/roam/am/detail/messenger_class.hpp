// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "roam/am/detail/epochs.hpp"
#include "roam/am/detail/live_handlers.hpp"
#include "roam/am/detail/program_comparison.hpp"
#include "roam/am/detail/receiver.hpp"
#include "roam/am/detail/requests.hpp"
#include "roam/am/detail/system_messages.hpp"

namespace roam::am {

/// Active messages of one rank over one Endpoint (DMCS): typed handlers, replies, order,
/// split-phase messages, flow control. Thread-safe unless said otherwise. Knows nothing of objects.
/// The classes that it derives from send messages; its Receiver takes those that arrive.
class Messenger final : public exec::Poller, public SystemMessages {
 public:
  Messenger(transport::Endpoint& endpoint, exec::Engine& engine, const MessengerOptions& options);
  ~Messenger() override;

  // --- programs: handlers named by template argument ---

  /// Runs Handler(arguments...) on a worker of `destination`. Returns at once; the arguments may be
  /// reused. A large array given up by std::move (a std::vector, a roam::Array) is sent from where
  /// it lies; any other is copied once. Past the high-water mark (A3) it returns once there is
  /// room: inside a handler or main program, other handlers may run on the calling thread
  /// meanwhile, so no lock of the program's own may be held across it.
  template <auto Handler, class... A>
  void send(Rank destination, A&&... arguments);
  /// The same, and the handler's result (or exception) comes back.
  template <auto Handler, class... A>
  [[nodiscard]] auto request(Rank destination, A&&... arguments);

  // --- requests and their answers ---

  /// Registers a request: the pending state has to be released by a Reply, and the ReplyTo travels
  /// with the request.
  [[nodiscard]] std::pair<PendingReply*, ReplyTo> expect_reply(const char* label,
                                                               ObjectId subject) {
    return requests_.expect(label, subject);
  }
  /// Answers a request with values; no-op for a default ReplyTo.
  template <class... T>
  void answer(const ReplyTo& to, T&&... values);
  void answer_failure(const ReplyTo& to, ReplyStatus status, const std::string& text);
  /// Answers a request of this rank's own at once, without a message. Not inside a coroutine.
  template <class... T>
  void answer_here(std::uint64_t token, T&&... values);
  /// The requests of this rank: to cancel one, or to be told when one is cancelled.
  [[nodiscard]] Requests& requests() { return requests_; }
  void abort_replies(const std::string& reason) { requests_.abort_all(reason); }

  // --- what arrives: inside progress ---

  /// Brings messages to their handlers.
  [[nodiscard]] Dispatcher& dispatcher() { return receiver_.dispatcher(); }
  /// Counts a message that is not valid (A7). Any thread.
  void reject(Rank /*source*/, const char* /*why*/) { dispatcher().counters().count_rejected(); }
  /// Before the first message.
  void set_bulk_receiver(BulkReceiver* receiver) { receiver_.set_bulk_receiver(receiver); }

  /// Knows which messages and handlers belong to which epoch (M10).
  [[nodiscard]] Epochs& epochs() { return *epochs_; }
  /// The coroutine handlers that have begun and not ended.
  [[nodiscard]] LiveHandlers& live_handlers() { return live_handlers_; }
  /// Frees the coroutines that are still suspended, at the end of the job.
  void abandon_all();

  // --- the job ---

  /// Declares a setting of the program that must have one value on all ranks, "--roam-balancer" for
  /// example. It is compared at start, before the handlers are. Before announce_handlers().
  void require_equal(std::string setting, std::string value);
  /// Sends this rank's handler hash towards rank 0, where differences stop the job (A6). Once, at
  /// start.
  void announce_handlers() { comparison_.announce(); }
  /// The failure of a peer, and a mismatch of handlers, are reported there.
  void set_failure_handler(std::function<void(const std::string&)> handler);
  /// The loss of a helper is reported there, inside progress; it is no failure. From then on what
  /// is sent to it is dropped, and what it had sent before may still arrive.
  void set_loss_listener(std::function<void(Rank helper, const char* reason)> listener);
  [[nodiscard]] MessengerStats stats() const;
  /// From now on arrivals are counted by their source, too, which takes a lock for each of them.
  /// Before the first step.
  void count_by_source() { dispatcher().counters().count_by_source(); }
  /// The counts by source; empty without count_by_source(). A rank's messages to itself do not
  /// travel.
  [[nodiscard]] std::vector<SourceTraffic> traffic_by_source() const;
  /// The number of counted messages whose effects are visible, for quiescence.
  [[nodiscard]] std::uint64_t counted_received() const {
    const std::uint64_t without_messages = counted_ends();
    return without_messages + receiver_.counters().taken_in();
  }

  // --- engine ---
  std::size_t poll(Instant now) override;
  void add_to(exec::WorkingSet& set) const override;
  void look_ahead(int step) const override;
  /// The payload of a message that the next poll() may take, empty if it is not for this handler;
  /// `index` counts from 0, in no order; nothing if there is no such message. After the effect of
  /// look_ahead(first_step_with_messages - 1).
  [[nodiscard]] std::optional<std::span<const std::byte>> next_message(std::size_t index,
                                                                       std::uint32_t handler) const;
  static constexpr int first_step_with_messages = transport::Endpoint::last_look + 1;

 private:
  std::size_t poll_in_turn(Instant now);

  transport::Endpoint& endpoint_;
  ProgramComparison comparison_;
  Requests requests_;
  LiveHandlers live_handlers_;
  Receiver receiver_;
  core::Owned<Epochs> epochs_;  // constant after construction
};

}  // namespace roam::am
