// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "roam/am/wire.hpp"
#include "roam/core/buffer_pool.hpp"
#include "roam/core/types.hpp"

namespace roam::am {

/// Puts small messages to one rank together while many are sent to it, so that the network's cost
/// per message is shared. The first few after a flush go by themselves: a lone message is never
/// held back. One thread at a time: whoever may use the endpoint.
class Coalescer {
 public:
  /// Batches of at most `batch_bytes`, header included.
  /// Longer payloads go by themselves.
  static constexpr std::size_t longest_payload = 240;
  explicit Coalescer(std::size_t batch_bytes)
      : batch_bytes_(batch_bytes), pool_(core::BufferPool::create(batch_bytes, kept_batches)) {}

  /// True if `message` (header and payload) has been put into the batch for `destination`; false if
  /// it is to be sent by itself now. Calls send(rank, batch) for a batch that has to go first.
  template <class Send>
  [[nodiscard]] bool add(Rank destination, const core::Buffer& message, Send&& send) {
    Lane& lane = touch(destination);
    const bool fits = message.size() <= sizeof(WireHeader) + longest_payload;
    if (!lane.batch) {
      if (!fits || lane.sent_alone < messages_alone) {
        ++lane.sent_alone;
        return false;
      }
      lane.batch = begin();
    } else if (!fits) {
      send(destination, seal(lane));
      return false;
    } else if (lane.batch.size() + sizeof(BatchEntry) + message.size() > batch_bytes_) {
      send(destination, seal(lane));
      lane.batch = begin();
    }
    append_message(lane.batch, message);
    return true;
  }
  /// False if no messages are being put together for any rank. Any thread; about this moment.
  [[nodiscard]] bool may_be_collecting() const {
    return may_be_collecting_.load(std::memory_order_relaxed);
  }
  /// True if messages to `destination` are being put together, and one with `bytes` of payload may
  /// be: then append() takes it.
  [[nodiscard]] bool is_collecting(Rank destination, std::size_t bytes) {
    if (bytes > longest_payload) return false;
    if (destination.value() == last_destination_) return static_cast<bool>(last_lane_->batch);
    const auto found = lanes_.find(destination.value());
    if (found == lanes_.end() || !found->second.batch) return false;
    last_destination_ = destination.value();
    last_lane_ = &found->second;
    return true;
  }
  /// Puts a message, given as what it consists of, into the batch for the rank that is_collecting()
  /// has just said yes to. Calls send(rank, batch) for a batch that has to go first.
  template <class Send>
  void append(std::uint32_t handler, std::uint16_t flags, std::span<const std::byte> payload,
              Send&& send) {
    Lane& lane = *last_lane_;
    if (lane.batch.size() + sizeof(BatchEntry) + payload.size() > batch_bytes_) {
      send(Rank(last_destination_), seal(lane));
      lane.batch = begin();
    }
    append_entry(lane.batch, {handler, static_cast<std::uint16_t>(payload.size()), flags}, payload);
  }
  /// Sends the batch for one rank, if there is one: something must not overtake it.
  template <class Send>
  void flush(Rank destination, Send&& send) {
    const auto found = lanes_.find(destination.value());
    if (found != lanes_.end() && found->second.batch) send(destination, seal(found->second));
  }
  /// Sends all batches.
  template <class Send>
  void flush_all(Send&& send) {
    for (const auto& [destination, lane] : touched_) {
      if (lane->batch) send(destination, seal(*lane));
      lane->sent_alone = 0;
      lane->is_touched = false;
    }
    touched_.clear();
    may_be_collecting_.store(false, std::memory_order_relaxed);
  }
  [[nodiscard]] bool is_touched() const { return !touched_.empty(); }

 private:
  static constexpr std::uint32_t messages_alone = 4;
  static constexpr std::size_t kept_batches = 64;
  struct Lane {
    core::Buffer batch;
    std::uint32_t sent_alone = 0;  // since the last flush
    bool is_touched = false;
  };

  Lane& touch(Rank destination) {
    if (destination.value() != last_destination_) {
      last_destination_ = destination.value();
      last_lane_ = &lanes_[destination.value()];
    }
    if (!last_lane_->is_touched) {
      last_lane_->is_touched = true;
      touched_.emplace_back(destination, last_lane_);
    }
    return *last_lane_;
  }
  [[nodiscard]] core::Buffer begin() {
    may_be_collecting_.store(true, std::memory_order_relaxed);
    core::Buffer batch = pool_->take();
    batch.set_size(sizeof(WireHeader));
    return batch;
  }
  static void append_message(core::Buffer& batch, const core::Buffer& message) {
    WireHeader header;
    std::memcpy(&header, message.data(), sizeof header);
    const auto payload = message.bytes().subspan(sizeof header);
    append_entry(batch, {header.handler, static_cast<std::uint16_t>(payload.size()), header.flags},
                 payload);
  }
  static void append_entry(core::Buffer& batch, const BatchEntry& entry,
                           std::span<const std::byte> payload) {
    std::byte* const end = batch.data() + batch.size();
    std::memcpy(end, &entry, sizeof entry);
    std::memcpy(end + sizeof entry, payload.data(), payload.size());
    batch.set_size(batch.size() + sizeof entry + payload.size());
  }
  [[nodiscard]] static core::Buffer seal(Lane& lane) {
    WireHeader header;
    header.checked_size = static_cast<std::uint32_t>(lane.batch.size());
    header.flags = WireHeader::batch;
    std::memcpy(lane.batch.data(), &header, sizeof header);
    return std::move(lane.batch);
  }

  const std::size_t batch_bytes_;
  core::BufferPool::Handle pool_;
  std::unordered_map<std::int32_t, Lane> lanes_;  // elements stay where they are
  std::vector<std::pair<Rank, Lane*>> touched_;   // since the last flush_all()
  std::atomic<bool> may_be_collecting_{false};    // a batch has begun since the last flush_all()
  std::int32_t last_destination_ = -1;
  Lane* last_lane_ = nullptr;
};

/// Reads the entries of a batch one by one; what does not fit is malformed.
class BatchReader {
 public:
  explicit BatchReader(std::span<const std::byte> entries) : rest_(entries) {}
  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  /// False if the rest is no entry. `payload` is the message's, without header.
  [[nodiscard]] bool next(BatchEntry& entry, std::span<const std::byte>& payload) {
    if (rest_.size() < sizeof entry) return false;
    std::memcpy(&entry, rest_.data(), sizeof entry);
    if (rest_.size() - sizeof entry < entry.payload_bytes) return false;
    payload = rest_.subspan(sizeof entry, entry.payload_bytes);
    rest_ = rest_.subspan(sizeof entry + entry.payload_bytes);
    return true;
  }
  [[nodiscard]] std::span<const std::byte> rest() const { return rest_; }

 private:
  std::span<const std::byte> rest_;
};

}  // namespace roam::am
