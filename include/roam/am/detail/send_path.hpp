// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "roam/am/detail/coalescer.hpp"
#include "roam/am/detail/endpoint_lock.hpp"
#include "roam/am/detail/outbox.hpp"
#include "roam/am/detail/transmit_queue.hpp"

namespace roam::am {

/// Brings messages, headers included, to the endpoint: straight there if any thread may send and
/// the network keeps the order; else through the TransmitQueue, by the thread that has the
/// endpoint. Any thread. The functions that are inlined into their callers are defined in
/// src/am/transmit.hpp.
class SendPath {
 public:
  explicit SendPath(const TransmitQueue::Parts& parts);
  SendPath(const SendPath&) = delete;
  SendPath& operator=(const SendPath&) = delete;
  ~SendPath();

  /// True if any thread may send_directly(). Constant.
  [[nodiscard]] bool is_direct() const { return is_direct_; }
  void send_directly(Rank destination, core::Buffer&& message) {
    endpoint_.send(destination, std::move(message));
  }
  void transmit(Rank destination, core::Buffer&& message);
  /// The same with bulk data of that tag.
  void transmit(Rank destination, core::Buffer&& message, core::Buffer&& bulk,
                transport::BulkTag tag);
  /// The same, not before the virtual time that the handler has reached.
  void transmit_in_time(Rank destination, core::Buffer&& message, core::Buffer&& bulk,
                        transport::BulkTag tag);
  /// Sends what waits to be sent together. Before the endpoint closes, when no thread uses the
  /// messenger any more.
  void flush();

  /// True if small messages to some rank are being put together: then put_into_batch() may succeed.
  /// The answer may be outdated when it returns.
  [[nodiscard]] bool may_be_collecting() const {
    return coalescer_ != nullptr && coalescer_->may_be_collecting();
  }
  /// Sends a counted message as part of the batch that is being put together for its destination;
  /// false if there is none, or none for such a message. Requires may_be_collecting().
  template <std::size_t N>
  [[nodiscard]] bool put_into_batch(Rank destination, std::uint32_t handler,
                                    const std::array<std::byte, N>& payload);
  /// The same of a payload that write(place) writes, which neither throws nor sends.
  template <class Write>
  [[nodiscard]] bool write_into_batch(Rank destination, std::uint32_t handler,
                                      std::size_t payload_bytes, Write&& write);

  /// Unless is_direct(): calls receive(), which takes what has arrived and returns how much that
  /// was, and sends what waits. Has the endpoint meanwhile; returns 0 if another thread has it.
  template <class Receive>
  std::size_t poll_in_turn(Instant now, Receive&& receive);
  /// For the thread that has the endpoint.
  [[nodiscard]] TransmitQueue& queue() { return queue_; }
  /// Adds what is used all the time.
  void add_to(exec::WorkingSet& set) const;

 private:
  /// Calls put(), which returns whether it did, if there is such a batch.
  template <class Put>
  [[nodiscard]] bool use_batch(Rank destination, Put&& put);
  void put_into_outbox(Rank destination, core::Buffer&& message, core::Buffer&& bulk,
                       transport::BulkTag tag);
  void drain_outbox();
  void drain_what_came_meanwhile();
  void drain_and_hold_back(bool may_exceed);

  transport::Endpoint& endpoint_;
  exec::Engine& engine_;
  FlowControl& flow_;
  Coalescer* const coalescer_;  // nullptr: none
  const bool is_direct_;
  EndpointLock lock_;
  Outbox outbox_;
  TransmitQueue queue_;
};

// Uses no thread-local variable, so that it may be inlined into coroutines. A thread that cannot
// have the endpoint at once uses the outbox.
template <class Put>
[[gnu::always_inline]] inline bool SendPath::use_batch(Rank destination, Put&& put) {
  if (!lock_.try_lock_on_any_thread()) return false;
  bool is_put = false;
  bool may_exceed = false;
  if (!outbox_.may_have_some() && coalescer_->is_collecting(destination)) {
    is_put = put();
    may_exceed = coalescer_->is_look_due();
  }
  lock_.unlock();
  if (may_exceed || outbox_.has_some()) drain_and_hold_back(may_exceed);
  return is_put;
}

// Inlined, so that the payload goes from registers into the batch.
template <std::size_t N>
[[gnu::always_inline]] inline bool SendPath::put_into_batch(
    Rank destination, std::uint32_t handler, const std::array<std::byte, N>& payload) {
  return use_batch(destination, [&] {
    if (coalescer_->put_like_last(handler, payload)) return true;
    std::byte* const place = queue_.extend_batch(handler, N);
    if (place != nullptr) std::memcpy(place, payload.data(), N);
    return place != nullptr;
  });
}

template <class Write>
bool SendPath::write_into_batch(Rank destination, std::uint32_t handler, std::size_t payload_bytes,
                                Write&& write) {
  if (payload_bytes > Coalescer::longest_payload) return false;
  return use_batch(destination, [&] {
    std::byte* const place = queue_.extend_batch(handler, payload_bytes);
    if (place != nullptr) write(place);
    return place != nullptr;
  });
}

}  // namespace roam::am
