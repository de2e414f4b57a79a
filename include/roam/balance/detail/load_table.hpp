// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "roam/balance/detail/growth.hpp"
#include "roam/balance/detail/interruptions.hpp"
#include "roam/balance/detail/load_model.hpp"
#include "roam/balance/load.hpp"
#include "roam/core/detail/spin_lock.hpp"
#include "roam/mobile/detail/record.hpp"

namespace roam::balance {

/// The loads of the objects of one rank. Updates (changed, measured) come from any thread and take
/// a few instructions: a changed object is added to a list, once until the next query. Queries
/// bring the listed objects up to date, and sort by size only if asked which objects can move; they
/// come from one thread at a time.
class LoadTable {
 public:
  /// Provides the facts about objects.
  class Source {
   public:
    /// The facts about an object, or none if it is not here. Changes after this call are reported
    /// anew.
    [[nodiscard]] virtual std::optional<mobile::LoadFacts> take(ObjectId id) = 0;

   protected:
    ~Source() = default;
  };

  /// The source must outlive the table.
  LoadTable(WorkerIndex workers, Source& source, Rank rank);
  LoadTable(const LoadTable&) = delete;
  LoadTable& operator=(const LoadTable&) = delete;

  /// Sets the program's model; must be called before the first update.
  void set_model(LoadModel model) { model_ = std::move(model); }

  // --- updates, any thread ---
  /// Reports that what the source says about the object has changed. One report is enough until the
  /// object is taken.
  void changed(ObjectId id);
  /// Reports the end of a call without announced cost. Of two simultaneous reports by threads that
  /// are not workers, one may be lost.
  void measured(double weight, double run_seconds);

  // --- queries, one thread at a time ---
  /// Reports that this rank makes progress, with real time.
  void made_progress(Instant now) { interruptions_.made_progress(now); }
  [[nodiscard]] RankLoad load(Instant now);
  /// Reports that objects have come from a rank with this load.
  void came_from(const RankLoad& giver);
  /// Visits, largest first, the objects that have unfinished work, no running handler, and at most
  /// `limit` seconds of work when a weight of 1 counts `rate` seconds, until `visit` returns false.
  /// Among equal objects that create others (Growth), the oldest come first. `visit` may make the
  /// object leave.
  void for_each_movable(double limit, double rate,
                        const std::function<bool(const ObjectLoad&)>& visit);
  /// Visits the objects of more than `limit` seconds, smallest first.
  void for_each_movable_above(double limit, double rate,
                              const std::function<bool(const ObjectLoad&)>& visit);
  [[nodiscard]] std::size_t movable_count();
  [[nodiscard]] double seconds_per_weight() const;

 private:
  /// What is known of an object.
  struct Entry {
    double seconds = 0;
    double weight = 0;
    mobile::Activity activity;
    std::uint32_t pending_calls = 0;
    std::uint32_t moves = 0;
    std::uint32_t running_at = 0;  // index in running_, if it runs
    std::uint64_t bytes = 0;
    std::int64_t arrived_ns = -1;
    double run_seconds = 0;
    bool has_run = false;
    // Position in the order of movable objects:
    bool is_ordered = false;
    bool is_to_be_ordered = false;  // listed in unordered_
    bool is_known_to_have_begun = false;
    std::uint8_t order = 0;  // index in orders_
    std::pair<double, std::uint64_t> key;
    [[nodiscard]] bool is_running() const { return activity.running > 0; }
    [[nodiscard]] bool is_queued() const { return pending_calls > 0 && !is_running(); }
    [[nodiscard]] bool has_begun() const { return has_run || is_running(); }
    [[nodiscard]] bool is_new() const { return is_queued() && !has_run; }
  };
  struct Sums {
    double seconds = 0;
    double weight = 0;
    std::uint32_t objects = 0;
    void add(const Entry& entry);
    void subtract(const Entry& entry);
  };
  /// Updates reported by one worker, or by all threads that are not workers.
  struct alignas(64) Updates {
    core::SpinLock lock;
    std::vector<ObjectId> listed;  // under lock
    // Decayed sums, written by that worker alone.
    std::atomic<double> measured_seconds{0};
    std::atomic<double> measured_weight{0};
  };
  // There are several orders, because some sizes are not constant in seconds: weights change with
  // the rate, new objects with what they are expected to bring. Objects of equal size are in the
  // order of the second number.
  using Key = std::pair<double, std::uint64_t>;
  using Order = std::set<Key>;
  static constexpr std::uint8_t by_weight = 1;
  static constexpr std::uint8_t of_new_objects = 2;
  static constexpr std::uint8_t order_count = 4;
  enum class Direction : std::uint8_t { down, up };

  [[nodiscard]] Updates& own_updates() const;
  void refresh();
  void update(ObjectId id);
  void read(ObjectId id, const mobile::LoadFacts& facts, Entry& entry) const;
  void count(ObjectId id, Entry& entry);
  void uncount(ObjectId id, const Entry& entry);
  void order(double rate);
  void order_by_age();
  [[nodiscard]] std::uint64_t tie(ObjectId id, std::uint8_t order) const;
  [[nodiscard]] ObjectId object_of(const Key& key, std::uint8_t order) const;
  void take_out_of_order(Entry& entry);
  void shorten_unordered();
  [[nodiscard]] double rate() const;
  [[nodiscard]] std::optional<ObjectLoad> describe(ObjectId id, double rate) const;
  [[nodiscard]] static std::optional<Key> next_in(const Order& order, const Key& key,
                                                  Direction direction);
  void visit_from(double limit, double rate, Direction direction,
                  const std::function<bool(const ObjectLoad&)>& visit);

  const WorkerIndex workers_;
  Source& source_;
  const Rank rank_;
  std::unique_ptr<Updates[]> updates_;  // by worker; the last entry is for other threads
  LoadModel model_;
  // The following belong to the querying thread:
  std::unordered_map<ObjectId, Entry> entries_;
  Interruptions interruptions_;
  Growth growth_;
  Sums queued_;
  Sums new_;                       // sums over queued new objects
  std::uint64_t new_of_here_ = 0;  // created on this rank
  Sums running_sums_;
  std::vector<ObjectId> running_;  // in no order
  // Movable objects by size, except for those in unordered_.
  std::array<Order, order_count> orders_;
  bool is_oldest_first_ = false;     // among new objects of equal size
  std::vector<ObjectId> unordered_;  // changed since the last query for movable objects
  std::vector<ObjectId> taken_;      // scratch, reused between queries
};

}  // namespace roam::balance
