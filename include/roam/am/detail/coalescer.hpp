// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "roam/am/detail/batch.hpp"
#include "roam/am/detail/wire.hpp"
#include "roam/core/detail/buffer_pool.hpp"
#include "roam/core/detail/owned.hpp"
#include "roam/core/types.hpp"

namespace roam::am {

/// Collects small messages to one rank in batches while many are sent to it, so that they share the
/// network's cost per message. The first few after a flush are sent alone: a single message is
/// never held back. One thread at a time, the one that may use the endpoint.
class Coalescer {
 public:
  /// The longest payload that is put into batches; longer messages are sent alone.
  static constexpr std::size_t longest_payload = 1088;
  /// Makes batches of at most `batch_bytes`, header included. is_look_due() becomes true each time
  /// `look_every_bytes` have been put into them.
  Coalescer(std::size_t batch_bytes, std::size_t look_every_bytes);
  Coalescer(const Coalescer&) = delete;
  Coalescer& operator=(const Coalescer&) = delete;
  ~Coalescer();

  /// True if `message` (header and payload) has been put into the batch for `destination`; false if
  /// it is to be sent alone now. Calls send(rank, batch) for a batch that has to leave first.
  template <class Send>
  [[nodiscard, gnu::always_inline]] bool add(Rank destination, const core::Buffer& message,
                                             Send&& send) {
    Lane& lane = touch(destination);
    if (!lane.writer.is_open() && lane.sent_alone < messages_alone) {
      ++lane.sent_alone;
      return false;
    }
    return add_to(lane, destination, message, send);
  }
  /// False if no messages are being collected for any rank. Any thread; approximate.
  [[nodiscard]] bool may_be_collecting() const {
    return may_be_collecting_.load(std::memory_order_relaxed);
  }
  /// True if messages to `destination` are being collected: then put() takes one more.
  [[nodiscard]] bool is_collecting(Rank destination) {
    return (destination.value() == last_destination_ || find(destination)) &&
           last_lane_->writer.is_open();
  }
  /// Puts a counted message into the batch for the rank that is_collecting() has just confirmed, if
  /// it is like the message before and fits.
  template <std::size_t N>
  [[nodiscard]] bool put_like_last(std::uint32_t handler, const std::array<std::byte, N>& payload) {
    static_assert(N <= longest_payload);
    if (!last_lane_->writer.append_like_last(handler, payload)) return false;
    count(N);
    return true;
  }
  /// Provides space in that batch for any counted message that is short enough. Returns where its
  /// payload has to be written at once, or nullptr if the message is too long. Calls send(rank,
  /// batch) for a batch that has to leave first.
  template <class Send>
  [[nodiscard]] std::byte* put(std::uint32_t handler, std::size_t payload_bytes, Send&& send) {
    if (payload_bytes > longest_fitting_) return nullptr;
    count(payload_bytes);
    return append_to(*last_lane_,
                     {handler, static_cast<std::uint16_t>(payload_bytes), WireHeader::counted},
                     send);
  }
  /// True once each time the given number of bytes has been put: it is time to check how much is
  /// unsent.
  [[nodiscard]] bool is_look_due() {
    const std::uint64_t bytes = bytes_put_.load(std::memory_order_relaxed);
    if (bytes < look_at_bytes_) return false;
    look_at_bytes_ = bytes + look_every_bytes_;
    return true;
  }
  /// The number of messages put() here since the start; bytes_put() is what their size would be if
  /// each had a header of its own. Any thread.
  [[nodiscard]] std::uint64_t messages_put() const {
    return messages_put_.load(std::memory_order_acquire);
  }
  [[nodiscard]] std::uint64_t bytes_put() const {
    return bytes_put_.load(std::memory_order_acquire);
  }
  /// Sends the batch for one rank, if there is one, because something else must not overtake it.
  template <class Send>
  void flush(Rank destination, Send&& send) {
    if (is_collecting(destination)) send(destination, last_lane_->writer.seal());
  }
  /// Sends all batches; from now on the first few messages are sent alone again.
  template <class Send>
  void flush_all(Send&& send) {
    ++turn_;
    if (!listed_.empty()) flush_listed(send);
  }
  /// Bytes of memory of the batches that are still in use. Any thread.
  [[nodiscard]] std::size_t bytes_in_use() const { return pool_->blocks_in_use() * batch_bytes_; }

 private:
  static constexpr std::uint32_t messages_alone = 4;
  static constexpr std::size_t kept_batches = 256;  // as many as a credit window has space for
  static constexpr std::size_t least_batch_bytes = sizeof(WireHeader) + sizeof(BatchEntry);
  // If all messages of a batch share one entry, their number does not exceed what the entry can
  // express.
  static constexpr std::size_t most_batch_bytes =
      BatchEntry::most_messages * BatchEntry::shortest_repeated;
  struct Lane {
    BatchWriter writer;
    std::uint32_t sent_alone = 0;  // the number of messages sent alone, in `turn`
    bool is_listed = false;
    std::uint64_t turn = 0;
  };
  struct Lanes;

  template <class Send>
  [[nodiscard, gnu::noinline]] bool add_to(Lane& lane, Rank destination,
                                           const core::Buffer& message, Send&& send) {
    const std::size_t bytes = message.size() - sizeof(WireHeader);
    const bool fits = bytes <= longest_fitting_;
    if (!lane.writer.is_open()) {
      if (!fits) return false;
      begin(lane);
    } else if (!fits) {
      send(destination, lane.writer.seal());
      return false;
    }
    WireHeader header;
    std::memcpy(&header, message.data(), sizeof header);
    std::byte* const place =
        append_to(lane, {header.handler, static_cast<std::uint16_t>(bytes), header.flags}, send);
    if (bytes > 0) std::memcpy(place, message.data() + sizeof header, bytes);
    return true;
  }
  [[gnu::always_inline]] Lane& touch(Rank destination) {
    if (destination.value() != last_destination_) make_last(destination);
    if (last_lane_->turn != turn_) {
      last_lane_->turn = turn_;
      last_lane_->sent_alone = 0;
    }
    return *last_lane_;
  }
  void make_last(Rank destination);
  [[nodiscard]] bool find(Rank destination);
  // Begins a batch in the last lane.
  void begin(Lane& lane) {
    if (!lane.is_listed) list(lane);
    lane.writer.begin(pool_->take(), batch_bytes_);
  }
  void list(Lane& lane);
  template <class Send>
  [[gnu::noinline]] void flush_listed(Send&& send) {
    for (const auto& [destination, lane] : listed_) {
      if (lane->writer.is_open()) send(destination, lane->writer.seal());
      lane->is_listed = false;
    }
    listed_.clear();
    may_be_collecting_.store(false, std::memory_order_relaxed);
  }
  template <class Send>
  [[nodiscard]] std::byte* append_to(Lane& lane, const BatchEntry& message, Send&& send) {
    if (!lane.writer.has_space(message.payload_bytes)) {
      send(Rank(last_destination_), lane.writer.seal());
      begin(lane);
    }
    return lane.writer.append(message);
  }
  // Counts before the message can leave: for quiescence it must be counted as sent before it can be
  // counted as received.
  void count(std::size_t payload_bytes) {
    add_alone(messages_put_, 1);
    add_alone(bytes_put_, sizeof(WireHeader) + payload_bytes);
  }
  static void add_alone(std::atomic<std::uint64_t>& counter, std::uint64_t n) {
    counter.store(counter.load(std::memory_order_relaxed) + n, std::memory_order_release);
  }

  const std::size_t batch_bytes_;
  const std::size_t longest_fitting_;
  const std::size_t look_every_bytes_;
  std::uint64_t look_at_bytes_ = 0;
  core::BufferPool::Handle pool_;
  const core::Owned<Lanes> lanes_;
  std::uint64_t turn_ = 1;                      // each flush_all() ends one
  std::vector<std::pair<Rank, Lane*>> listed_;  // lanes that have a batch, or had one in this turn
  // True: a batch has begun since the last flush_all().
  std::atomic<bool> may_be_collecting_{false};
  // Written by the thread that has the endpoint, read by any:
  std::atomic<std::uint64_t> messages_put_{0};
  std::atomic<std::uint64_t> bytes_put_{0};
  std::int32_t last_destination_ = -1;
  Lane* last_lane_ = nullptr;
};

}  // namespace roam::am
