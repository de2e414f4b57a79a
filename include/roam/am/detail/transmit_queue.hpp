// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "roam/am/detail/flow_control.hpp"
#include "roam/core/detail/buffer.hpp"
#include "roam/exec/engine.hpp"
#include "roam/transport/endpoint.hpp"

namespace roam::am {

class Coalescer;
class Credits;
class MessageMemory;
class SendPath;
class TrafficCounters;
struct Credit;

/// Sends messages through the endpoint: at once, or in a batch, or once there is credit for them
/// (A3); with a sequence number if the network reorders (A2). For the thread that has the endpoint.
class TransmitQueue {
 public:
  struct Parts {
    transport::Endpoint& endpoint;
    exec::Engine& engine;
    FlowControl& flow;
    Coalescer* coalescer;      // nullptr: no batches
    MessageMemory& memory;     // the memory of the grants that it sends
    TrafficCounters& traffic;  // the counters that count them
  };
  /// `path` takes messages again that are sent ahead of the virtual time.
  TransmitQueue(const Parts& parts, SendPath& path);
  TransmitQueue(const TransmitQueue&) = delete;
  TransmitQueue& operator=(const TransmitQueue&) = delete;

  void put(Rank destination, core::Buffer&& message);
  /// The same with bulk data of that tag, if there is any.
  void put(Rank destination, core::Buffer&& message, core::Buffer&& bulk, transport::BulkTag tag);
  void flush_batches();
  /// Makes room for a counted message in the batch for the rank of which Coalescer::is_collecting()
  /// has just returned true; nullptr if the message is too long for any batch.
  [[nodiscard]] std::byte* extend_batch(std::uint32_t handler, std::size_t payload_bytes);

  /// Called before the first message: those with this handler wait for credit like counted ones,
  /// also where they are not counted, as to and from helpers.
  void let_wait(std::uint32_t handler);

  // --- credit ---
  void on_credit(const Credit& credit, Rank source);
  /// Sends the grants that are due, unless this rank holds too much.
  void give_due_credit(Instant now);
  /// Sends what waits for a rank that is lost: it will grant nothing any more.
  void send_without_grants(Rank lost);
  /// Called because this rank will receive no grants for a while, or ever again, and others may
  /// wait for what it has sent.
  void send_all_waiting();

 private:
  [[nodiscard]] bool has_to_wait(Rank destination) const;
  [[nodiscard]] bool may_wait(const core::Buffer& message, const core::Buffer& bulk) const;
  void flush_batch(Rank destination);
  /// Sends the message, or stores it until there is credit.
  void send_one(Rank destination, core::Buffer&& message, core::Buffer&& bulk = {},
                transport::BulkTag tag = 0);
  void send_now(Rank destination, core::Buffer&& message, core::Buffer&& bulk,
                transport::BulkTag tag);
  /// Gives the message its sequence number, if the network reorders.
  void number(Rank destination, core::Buffer& message);
  void wait_for_credit(Rank destination, core::Buffer&& message, core::Buffer&& bulk,
                       transport::BulkTag tag);
  void hold_for_credit(Rank destination, core::Buffer&& message, core::Buffer&& bulk,
                       transport::BulkTag tag);
  void send_waiting(Rank destination);
  void give_credit(Instant now);
  void grant(Rank source, std::uint64_t total_bytes);

  transport::Endpoint& endpoint_;
  exec::Engine& engine_;
  FlowControl& flow_;
  Credits* const credits_;      // the credits of flow_; nullptr: the network needs none
  Coalescer* const coalescer_;  // nullptr: no batches
  MessageMemory& memory_;
  TrafficCounters& traffic_;
  SendPath& path_;
  const bool is_ordered_;  // the network keeps the order
  std::unordered_map<std::int32_t, std::uint32_t>
      next_sequence_;                   // by rank; only if the network reorders
  std::vector<std::uint32_t> waiting_;  // handlers given to let_wait()
};

}  // namespace roam::am
