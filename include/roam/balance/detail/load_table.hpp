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

/// The load of the objects of one rank. Updates (changed, measured) come from any thread and take a
/// few instructions: an object that has changed is listed, once until somebody asks. The queries
/// bring what the table knows of the listed ones up to date, and order them by size only if asked
/// what can move; they come from one thread at a time.
class LoadTable {
 public:
  /// Where the facts are.
  class Source {
   public:
    /// Those of an object, whose changes have to be told again from now on; none if it is not here.
    [[nodiscard]] virtual std::optional<mobile::LoadFacts> take(ObjectId id) = 0;

   protected:
    ~Source() = default;
  };

  /// The source outlives the table.
  LoadTable(WorkerIndex workers, Source& source, Rank rank);
  LoadTable(const LoadTable&) = delete;
  LoadTable& operator=(const LoadTable&) = delete;

  /// Before the first update.
  void set_model(LoadModel model) { model_ = std::move(model); }

  // --- updates, any thread ---
  /// What the source would say of the object has changed. Once is enough until it is taken.
  void changed(ObjectId id);
  /// A call without announced cost is over. Of two by threads that are no workers, at the same
  /// time, one may be lost.
  void measured(double weight, double run_seconds);

  // --- queries, one thread at a time ---
  /// This rank makes progress, in real time.
  void made_progress(Instant now) { interruptions_.made_progress(now); }
  [[nodiscard]] RankLoad load(Instant now);
  /// Objects have come from a rank that has told this load.
  void came_from(const RankLoad& giver);
  /// Objects with unfinished work and no running handler, of at most `limit` seconds when a weight
  /// of 1 counts `rate` seconds, largest first, until `visit` returns false; of those alike that
  /// bring others (Growth) the oldest first. `visit` may make the object leave.
  void for_each_movable(double limit, double rate,
                        const std::function<bool(const ObjectLoad&)>& visit);
  /// Those of more than `limit` seconds, smallest first.
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
    std::uint32_t running_at = 0;  // in running_, if it runs
    std::uint64_t bytes = 0;
    std::int64_t arrived_ns = -1;
    double run_seconds = 0;
    bool has_run = false;
    // Where it stands in the order of what can move:
    bool is_ordered = false;
    bool is_to_be_ordered = false;  // listed in unordered_
    bool is_known_to_have_begun = false;
    std::uint8_t order = 0;  // which
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
  /// What one worker has told, or all threads that are none.
  struct alignas(64) Updates {
    core::SpinLock lock;
    std::vector<ObjectId> listed;  // under lock
    // Decayed sums, written by the worker alone.
    std::atomic<double> measured_seconds{0};
    std::atomic<double> measured_weight{0};
  };
  // Orders are apart where what they are ordered by changes its meaning in seconds: for weights
  // with the rate, for new objects with what they are expected to bring. Of equal size, in the
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
  std::unique_ptr<Updates[]> updates_;  // by worker; the last is the other threads'
  LoadModel model_;
  // The querying thread's:
  std::unordered_map<ObjectId, Entry> entries_;
  Interruptions interruptions_;
  Growth growth_;
  Sums queued_;
  Sums new_;                       // of the queued
  std::uint64_t new_of_here_ = 0;  // created on this rank
  Sums running_sums_;
  std::vector<ObjectId> running_;  // in no order
  // What can move, by size, but for the unordered.
  std::array<Order, order_count> orders_;
  bool is_oldest_first_ = false;     // among new objects of equal size
  std::vector<ObjectId> unordered_;  // changed since somebody last asked what can move
  std::vector<ObjectId> taken_;      // its memory is kept
};

}  // namespace roam::balance
