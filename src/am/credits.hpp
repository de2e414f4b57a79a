// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "roam/am/detail/wire.hpp"
#include "roam/core/detail/buffer_pool.hpp"
#include "roam/core/detail/rank_table.hpp"
#include "roam/core/types.hpp"
#include "roam/exec/detail/working_set.hpp"

namespace roam::am {

/// Flow control by credit (A3): what has been sent to one rank and has not been granted back is at
/// most one window, plus the message that exceeds it. Each message is charged the memory that it
/// takes at its receiver, by a rule that both sides know. Sums are counted since the start, so that
/// a grant is one number. Messages without credit wait here, in order; small ones are collected in
/// batches. One thread at a time, the one that may use the endpoint.
class Credits {
 public:
  /// A message that waits for credit, with its bulk data if it has any.
  struct Waiting {
    core::Buffer message;
    core::Buffer bulk;
    std::uint32_t tag = 0;
  };

  /// Batches of waiting messages have at most `batch_bytes`, header included. A window has at least
  /// 4 KiB: grants are charged too, and must cause far fewer grants in return.
  Credits(std::size_t window_bytes, std::size_t batch_bytes);

  /// The memory that `bytes` take where they arrive: a block of a power of two, at least 512; for
  /// very long ones their own size.
  [[nodiscard]] static std::uint64_t charge(std::uint64_t bytes) {
    if (bytes <= smallest_block) return smallest_block;
    return bytes > largest_block ? bytes : std::bit_ceil(bytes);
  }
  /// The charge for a message and its bulk data. Data beside a message is received into memory that
  /// existed before, and costs nothing.
  [[nodiscard]] static std::uint64_t charge(const core::Buffer& message, const core::Buffer& bulk);

  // --- sending ---
  /// True if a message to `destination` has to wait.
  [[nodiscard]] bool is_blocked(Rank destination) {
    const Outgoing& lane = outgoing_.at(destination);
    return lane.sent >= lane.limit;
  }
  /// Charges a message of this many bytes and returns true; or charges nothing and returns false if
  /// it has to wait.
  [[nodiscard]] bool take(Rank destination, std::uint64_t bytes) {
    Outgoing& lane = outgoing_.at(destination);
    if (lane.sent >= lane.limit) return false;
    lane.sent += charge(bytes);
    return true;
  }
  void count_sent(Rank destination, std::uint64_t charge) {
    outgoing_.at(destination).sent += charge;
  }
  /// Stores a message until there is credit for it.
  void hold(Rank destination, Waiting&& waiting);
  /// Called when `source` has received `total` bytes since the start. False if that cannot be (A7).
  [[nodiscard]] bool take_grant(Rank source, std::uint64_t total);
  /// Called when the rank is lost or the job over: no message waits for its grants any more.
  void grant_all_to(Rank destination) { outgoing_.at(destination).granted = all_granted; }
  [[nodiscard]] bool has_all_from(Rank destination) {
    return outgoing_.at(destination).granted == all_granted;
  }
  /// Calls send(waiting) for the waiting messages that have credit by now, in order, and charges
  /// them.
  template <class Send>
  void send_waiting(Rank destination, Send&& send) {
    while (may_send_first(outgoing_.at(destination))) send_first(destination, send);
    Outgoing& lane = outgoing_.at(destination);
    if (lane.waiting == nullptr) lane.limit = lane.granted + window_bytes_;
  }
  /// Calls send(waiting) for all waiting messages, in order, with or without credit, and charges
  /// them.
  template <class Send>
  void send_without_credit(Rank destination, Send&& send) {
    while (outgoing_.at(destination).waiting != nullptr) send_first(destination, send);
    Outgoing& lane = outgoing_.at(destination);
    lane.limit = lane.granted + window_bytes_;
  }
  /// The ranks to which messages wait.
  [[nodiscard]] std::vector<Rank> waited_for() const;
  /// Bytes of memory of the waiting messages; most_waiting_bytes() is the most so far. Any thread.
  [[nodiscard]] std::size_t waiting_bytes() const {
    return waiting_bytes_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::size_t most_waiting_bytes() const {
    return most_waiting_bytes_.load(std::memory_order_relaxed);
  }

  // --- receiving ---
  [[gnu::always_inline]] void count_arrival(Rank source, std::uint64_t charge) {
    Incoming& lane = incoming_.at(source);
    lane.taken += charge;
    if (lane.taken >= lane.due_at) make_due(source, lane);
  }
  /// True if half a window of some rank has been received since its last grant.
  [[nodiscard]] bool is_due() const { return !due_.empty(); }
  /// Calls grant(source, total) for each such rank.
  template <class Grant>
  void grant_due(Grant&& grant) {
    std::swap(due_, being_granted_);
    for (const Rank source : being_granted_) {
      Incoming& lane = incoming_.at(source);
      lane.due_at = lane.taken + window_bytes_ / 2;
      grant(source, lane.taken);
    }
    being_granted_.clear();
  }

  static constexpr std::size_t smallest_window = 4096;

  void add_to(exec::WorkingSet& set) const {
    set.add(*this);
    outgoing_.add_to(set);
    incoming_.add_to(set);
  }
  /// Prefetches what a message from this rank needs.
  void look_ahead(Rank source) const { incoming_.look_ahead(source); }

 private:
  static constexpr std::uint64_t all_granted = std::numeric_limits<std::uint64_t>::max() / 2;
  static constexpr std::uint64_t smallest_block = 512;
  static constexpr std::uint64_t largest_block = std::uint64_t{16} << 20;
  struct Outgoing {
    std::uint64_t sent = 0;
    std::uint64_t limit = 0;  // more may be sent as long as `sent` is less: 0 while messages wait
    std::uint64_t granted = 0;
    std::unique_ptr<std::deque<Waiting>> waiting;  // nullptr, or not empty
  };
  struct Incoming {
    std::uint64_t taken = 0;
    std::uint64_t due_at = 0;  // a grant is due once this much has been taken in
  };
  /// A table indexed by rank, in which the rank asked for last is found at once.
  template <class Lane>
  class Lanes {
   public:
    explicit Lanes(std::uint64_t Lane::*first_mark, std::uint64_t value)
        : first_mark_(first_mark), value_(value) {}
    /// The lane of a rank; valid until another is asked for.
    [[gnu::always_inline]] Lane& at(Rank rank) {
      if (rank != last_rank_) find(rank);
      return *last_;
    }
    [[nodiscard]] const core::RankTable<Lane>& all() const { return lanes_; }
    /// If there are few: of many, one turn uses one or two.
    void add_to(exec::WorkingSet& set) const {
      constexpr std::size_t most_bytes = 320;
      if (lanes_.bytes() <= most_bytes) set.add(lanes_.memory(), lanes_.bytes());
    }
    void look_ahead(Rank rank) const { lanes_.look_ahead(rank); }

   private:
    [[gnu::noinline]] void find(Rank rank) {
      last_ = &lanes_.at(rank, [this] {
        Lane lane;
        lane.*first_mark_ = value_;
        return lane;
      });
      last_rank_ = rank;
    }
    std::uint64_t Lane::*const first_mark_;
    const std::uint64_t value_;
    core::RankTable<Lane> lanes_;
    Rank last_rank_ = no_rank;
    Lane* last_ = nullptr;
  };

  [[nodiscard]] bool may_send_first(const Outgoing& lane) const {
    return lane.waiting != nullptr && lane.sent < lane.granted + window_bytes_;
  }
  void make_due(Rank source, Incoming& lane);
  Waiting take_first(Outgoing& lane);
  template <class Send>
  void send_first(Rank destination, Send& send) {
    Outgoing& lane = outgoing_.at(destination);
    Waiting first = take_first(lane);
    lane.sent += charge(first.message, first.bulk);
    send(std::move(first));  // it may hold another message, so the lane is looked up again
  }
  bool put_into_batch(std::deque<Waiting>& waiting, const core::Buffer& message);
  [[nodiscard]] bool has_space(const Waiting& last, std::size_t bytes) const;
  void count_waiting(const Waiting& waiting, bool comes);

  const std::uint64_t window_bytes_;
  const std::size_t batch_bytes_;
  core::BufferPool::Handle batches_;  // made when something has to wait
  Lanes<Outgoing> outgoing_;
  Lanes<Incoming> incoming_;
  std::vector<Rank> due_;
  // Empty outside grant_due(); a member so that its memory is reused.
  std::vector<Rank> being_granted_;
  // Written by the thread that has the endpoint, read by any:
  std::atomic<std::size_t> waiting_bytes_{0};
  std::atomic<std::size_t> most_waiting_bytes_{0};
};

}  // namespace roam::am
