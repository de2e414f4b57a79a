// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "roam/am/detail/message_memory.hpp"
#include "roam/am/detail/messenger_options.hpp"
#include "roam/core/detail/owned.hpp"
#include "roam/exec/engine.hpp"
#include "roam/transport/endpoint.hpp"

namespace roam::am {

class Coalescer;
class Credits;

/// How much one rank may send and store (A3): its credits, how much of its memory is in use,
/// whether it is at rest, and how long a sender is held back.
class FlowControl {
 public:
  FlowControl(transport::Endpoint& endpoint, exec::Engine& engine, const MessengerOptions& options,
              const MessageMemory& memory, const Coalescer* coalescer);
  FlowControl(const FlowControl&) = delete;
  FlowControl& operator=(const FlowControl&) = delete;
  ~FlowControl();

  /// The credits, for the thread that has the endpoint; nullptr if the network needs none.
  [[nodiscard]] Credits* credits() const { return credits_.get(); }

  // --- any thread ---

  /// Counts bytes of messages that begin to wait for the endpoint; end_waiting() counts them off.
  void begin_waiting(std::size_t bytes) {
    waiting_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  }
  void end_waiting(std::size_t bytes) {
    waiting_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  }
  /// Count memory of the program that is lent for sending, and that comes back: it takes none of
  /// the runtime's memory.
  void begin_lending(std::size_t bytes) { lent_bytes_.fetch_add(bytes, std::memory_order_relaxed); }
  void end_lending(std::size_t bytes) { lent_bytes_.fetch_sub(bytes, std::memory_order_relaxed); }
  /// Called by a thread that has sent something: makes progress, and runs other items, as long as
  /// too much is unsent or in use.
  void hold_back_sender();
  void add_to(MessengerStats& stats) const;

  // --- inside poll() ---

  /// Notes that nothing has arrived in this turn.
  void note_silence(Instant now) {
    if (silent_since_ == never) silent_since_ = watched_since_ = now;
    if (credits_ == nullptr && now - silent_since_ >= silence_before_rest) look_for_rest(now);
  }
  void note_arrivals() {
    silent_since_ = never;
    if (is_published_at_rest_) publish_rest(false);
  }
  /// True if no credit may be given now, because too much has arrived that is still in use.
  [[nodiscard]] bool withholds_credit(Instant now);

 private:
  // A rank is at rest again and again between the messages of a conversation. To tell the others
  // each time would cost all of them more than a message does.
  static constexpr Duration silence_before_rest = std::chrono::microseconds(10);

  /// True if nothing runs or is ready to run here, except for held-back senders.
  [[nodiscard]] bool is_at_rest() const;
  void look_for_rest(Instant now);
  [[nodiscard]] bool is_only_spinning(Instant now);
  /// Tells the other ranks whether this one is at rest, for networks without credits.
  void publish_rest(bool at_rest);
  [[nodiscard]] bool is_over_mark(bool may_wait_for_handlers);
  [[nodiscard]] std::size_t held_bytes() const;
  [[nodiscard]] std::size_t own_bytes_in_use() const;

  transport::Endpoint& endpoint_;
  exec::Engine& engine_;
  const MessageMemory& memory_;
  const Coalescer* const coalescer_;  // nullptr: none
  const std::size_t high_water_bytes_;
  const std::size_t receive_memory_bytes_;
  const core::Owned<Credits> credits_;

  // Relaxed: they publish nothing.
  std::atomic<std::size_t> waiting_bytes_{0};
  std::atomic<std::size_t> lent_bytes_{0};
  std::atomic<std::uint32_t> held_back_{0};  // workers whose handlers are held back
  // Waiting until less than this is in use would be in vain.
  std::atomic<std::size_t> raised_mark_bytes_{0};
  std::atomic<std::uint64_t> times_held_back_{0};
  std::atomic<std::size_t> most_held_bytes_{0};  // approximate: an update may be lost

  // Used inside poll() only:
  // The least that was held since credit has been withheld.
  std::size_t least_held_bytes_ = std::numeric_limits<std::size_t>::max();
  Instant withheld_since_{0};
  Duration patience_{std::chrono::seconds(1)};
  Instant silent_since_ = never;  // since when nothing has arrived
  Instant watched_since_{0};      // when finished_then_ was noted, not before silent_since_
  std::vector<std::uint64_t> finished_then_;  // items finished by then, by worker
  bool is_published_at_rest_ = false;
};

}  // namespace roam::am
