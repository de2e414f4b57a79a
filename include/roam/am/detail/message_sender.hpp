// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "roam/am/detail/flow_control.hpp"
#include "roam/am/detail/message_memory.hpp"
#include "roam/am/detail/messenger_options.hpp"
#include "roam/am/detail/send_path.hpp"
#include "roam/am/detail/traffic_counters.hpp"
#include "roam/am/detail/wire.hpp"
#include "roam/core/detail/buffer_pools.hpp"
#include "roam/core/serialise.hpp"

namespace roam::am {

/// Sends the messages of one rank: provides their memory, writes their headers, counts them, and
/// holds their senders back (A3). Knows handlers by their ids only. Thread-safe.
class MessageSender {
 public:
  static constexpr std::size_t payload_offset = sizeof(WireHeader);

  MessageSender(const MessageSender&) = delete;
  MessageSender& operator=(const MessageSender&) = delete;

  [[nodiscard]] Rank rank() const { return rank_; }
  /// The number of ranks of the job, without helpers: all that the rooms above know as ranks.
  [[nodiscard]] std::int32_t size() const { return size_; }
  /// The same with helpers, which are the ranks from size() on.
  [[nodiscard]] std::int32_t size_with_helpers() const { return size_with_helpers_; }
  [[nodiscard]] bool is_helper() const { return rank_.value() >= size_; }
  [[nodiscard]] exec::Engine& engine() const { return engine_; }

  /// A packer whose buffer has room for the header; fill it and hand it to post().
  [[nodiscard]] core::Packer begin(std::size_t size_hint = 0) {
    return core::Packer(begin_buffer(size_hint));
  }
  /// Sends a message that begin() has begun. `counted`: it carries work of the program, for which
  /// quiescence waits.
  void post(Rank destination, std::uint32_t handler, core::Packer&& message, bool counted);
  /// Sends a counted message with this payload.
  void post_bytes(Rank destination, std::uint32_t handler, std::span<const std::byte> payload);
  /// Sends a message that was received, unchanged but for the handler.
  void forward(Rank destination, std::uint32_t handler, core::Buffer&& message, bool counted);
  /// Gives back the memory of a message that is no longer needed, for the next one that this worker
  /// sends. Not inside a coroutine.
  void recycle(core::Buffer&& message) { memory_.pool(slot_here()).recycle(std::move(message)); }
  /// The memory for large messages.
  [[nodiscard]] core::BufferPools& large_memory() { return memory_.large(); }
  /// The length of the longest message, header included, that travels in one piece.
  [[nodiscard]] std::size_t longest_message_bytes() const { return longest_message_bytes_; }

  /// How many messages this thread has sent, for may_have_sent_since(). Not inside a coroutine.
  [[nodiscard]] std::uint64_t sent_by_this_thread() const {
    return traffic_.sent_from(slot_here());
  }
  /// False if this thread has sent nothing since then, so that what happens now on this rank comes
  /// before no message that it should come after (A2). Not inside a coroutine.
  [[nodiscard]] bool may_have_sent_since(std::uint64_t sent_by_then) const {
    return path_.may_be_collecting() || sent_by_this_thread() != sent_by_then;
  }
  /// Sends what waits to be sent together. Before the endpoint closes, when no thread uses the
  /// messenger any more.
  void flush() { path_.flush(); }
  /// Called when something begins that quiescence waits for and that is no message, such as a task
  /// that is away at a helper, and when it has ended. Not inside a coroutine. Any thread.
  void begin_counted_work() { traffic_.begin_counted(slot_here()); }
  void end_counted_work() { traffic_.end_counted(slot_here()); }
  /// The number of counted messages sent, for quiescence.
  [[nodiscard]] std::uint64_t counted_sent() const;

  /// A counted message with its header, for post_small() once the payload is written.
  struct SmallMessage {
    core::MpscNode* block = nullptr;
    std::byte* payload = nullptr;
    std::uint32_t slot = 0;
    std::size_t bytes = 0;
  };
  /// Begins a message of which nothing else has to be taken care. It has no block if something has:
  /// then another function sends the message. `context` is exec::detail::current_context.
  template <std::size_t PayloadBytes>
  [[nodiscard]] SmallMessage begin_small(const exec::Context* context, Rank destination,
                                         std::uint32_t handler);
  void post_small(std::uint32_t slot, Rank destination, core::MpscNode* block, std::size_t bytes);
  /// For small messages that may travel together, and for polling.
  [[nodiscard]] SendPath& path() { return path_; }

 protected:
  MessageSender(transport::Endpoint& endpoint, exec::Engine& engine,
                const MessengerOptions& options);
  ~MessageSender();

  /// A buffer with room for the header and `bytes` more.
  [[nodiscard]] core::Buffer begin_buffer(std::size_t bytes);
  /// Called before the first message: messages of this kind may go to helpers and come from them.
  void let_cross(std::uint32_t handler, bool counted);
  /// True if the message is one between a helper and another rank, so that it is not counted.
  /// Throws roam::Error if it may not be sent, because there is no such rank in the job.
  [[nodiscard]] bool crosses(Rank destination, std::uint32_t handler) const {
    return !is_near(destination) && check_crossing(destination, handler);
  }
  /// The tag of the next bulk data.
  [[nodiscard]] transport::BulkTag take_tag() {
    return next_tag_.fetch_add(1, std::memory_order_relaxed);
  }
  /// The slot of this thread. Not inside a coroutine: see exec::current().
  [[nodiscard]] std::uint32_t slot_here() const {
    return engine_.slot_of(exec::detail::current_context);
  }
  [[nodiscard]] MessageMemory& memory() { return memory_; }
  [[nodiscard]] TrafficCounters& traffic() { return traffic_; }
  [[nodiscard]] FlowControl& flow() { return flow_; }
  /// The number of things that counted as sent without a message and are over.
  [[nodiscard]] std::uint64_t counted_ends() const { return traffic_.counted_ends(); }
  /// Adds what this class has counted.
  void add_to(MessengerStats& stats) const;
  /// Adds what is used all the time, of this class and by it.
  void add_to(exec::WorkingSet& set) const;
  /// Prefetches the memory of the first worker's next message, if it is short.
  void look_ahead_at_memory() const;
  /// Prefetches what the receipt of a message needs, if the network needs credit.
  void look_ahead_at_credit(Rank source) const;

 private:
  /// True if both ranks are members of the job.
  [[nodiscard]] bool is_near(Rank destination) const {
    return static_cast<std::uint32_t>(destination.value()) < static_cast<std::uint32_t>(near_);
  }
  [[nodiscard]] bool check_crossing(Rank destination, std::uint32_t handler) const;
  void send_from(std::uint32_t slot, Rank destination, std::uint32_t handler,
                 core::Buffer&& message, bool counted);
  void send_across(std::uint32_t slot, Rank destination, std::uint32_t handler,
                   core::Buffer&& message);
  /// Announces a long message and sends it as bulk data.
  void send_split(Rank destination, core::Buffer&& message);
  void post_small_in_turn(Rank destination, core::MpscNode* block, bool may_exceed);

  exec::Engine& engine_;
  const Rank rank_;
  const std::int32_t size_;
  const std::int32_t near_;  // size_, or 0 on a helper, which has no member of the job near it
  const std::int32_t size_with_helpers_;
  const std::size_t longest_message_bytes_;  // longer messages go split-phase
  const core::Owned<Coalescer> coalescer_;   // nullptr: none. For the thread that has the endpoint
  TrafficCounters traffic_;
  MessageMemory memory_;
  FlowControl flow_;  // its credits: for the thread that has the endpoint
  SendPath path_;
  std::atomic<transport::BulkTag> next_tag_{1};
  std::vector<std::uint32_t> crossing_;  // handlers of messages that may go to and from helpers
};

// All conditions are checked before anything is done, so that the usual case need not save
// registers for another function.
template <std::size_t PayloadBytes>
[[gnu::always_inline]] inline MessageSender::SmallMessage MessageSender::begin_small(
    const exec::Context* context, Rank destination, std::uint32_t handler) {
  constexpr std::size_t bytes = payload_offset + PayloadBytes;
  constexpr WireHeader header{.checked_size = static_cast<std::uint32_t>(bytes),
                              .flags = WireHeader::counted};
  if (path_.may_be_collecting()) return {};
  const std::uint32_t slot = engine_.slot_of(context);
  core::BufferPool& pool = memory_.pool(slot);
  if (bytes > pool.block_bytes() || !pool.has_own() || !is_near(destination)) return {};
  core::Buffer message = pool.take_own();
  message.set_size(bytes);
  std::byte* const place = message.data();
  std::memcpy(place, &header, sizeof header);
  std::memcpy(place + offsetof(WireHeader, handler), &handler, sizeof handler);
  return {message.release(), place + payload_offset, slot, bytes};
}

}  // namespace roam::am
