// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "roam/am/detail/source_traffic.hpp"
#include "roam/core/detail/owned.hpp"
#include "roam/core/types.hpp"

namespace roam::am {

struct MessengerStats;
class TrafficBySource;

/// Counts what one rank has received since its start, without read-modify-writes: each counter is
/// written by one thread at a time and may be read by any.
class ArrivalCounters {
 public:
  ArrivalCounters();
  ArrivalCounters(const ArrivalCounters&) = delete;
  ArrivalCounters& operator=(const ArrivalCounters&) = delete;
  ~ArrivalCounters();

  // --- inside poll() ---

  void count_arrivals(Rank source, std::uint64_t messages, std::uint64_t bytes) {
    add_alone(messages_received_, messages);
    add_alone(bytes_received_, bytes);
    if (by_source_ != nullptr) [[unlikely]]
      count_of(source, messages, bytes);
  }
  /// Adds counted messages whose effects are visible.
  void count_taken_in(std::uint64_t messages) { add_alone(taken_in_, messages); }

  // --- any thread ---

  void count_rejected() { rejected_.fetch_add(1, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t taken_in() const { return taken_in_.load(std::memory_order_acquire); }
  void add_to(MessengerStats& stats) const;
  /// Before the first step: makes it count by source, too.
  void count_by_source();
  [[nodiscard]] std::vector<SourceTraffic> by_source() const;

 private:
  static void add_alone(std::atomic<std::uint64_t>& counter, std::uint64_t n) {
    counter.store(counter.load(std::memory_order_relaxed) + n, std::memory_order_release);
  }
  void count_of(Rank source, std::uint64_t messages, std::uint64_t bytes);

  std::atomic<std::uint64_t> taken_in_{0};
  std::atomic<std::uint64_t> messages_received_{0};
  std::atomic<std::uint64_t> bytes_received_{0};
  std::atomic<std::uint64_t> rejected_{0};
  core::Owned<TrafficBySource> by_source_;
};

}  // namespace roam::am
