// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "roam/balance/load.hpp"
#include "roam/balance/load_model.hpp"
#include "roam/core/spin_lock.hpp"
#include "roam/mobile/record.hpp"

namespace roam::balance {

/// The load of the objects of one rank. The updates (notify, started, measured) are O(1) and may
/// come from any thread; the queries come from one thread at a time. What can move is indexed by
/// size, and the index is brought up to date by the queries alone, so that a program nobody asks
/// work of does not pay for it.
class LoadTable {
 public:
  /// `shards`, a power of two: threads that update objects of different ones do not wait for each
  /// other.
  LoadTable(WorkerIndex workers, std::size_t shards);
  LoadTable(const LoadTable&) = delete;
  LoadTable& operator=(const LoadTable&) = delete;

  /// Before the first update.
  void set_model(LoadModel model) { model_ = std::move(model); }

  // --- updates, any thread ---
  void notify(ObjectId id, const mobile::Record& record, mobile::LoadListener::Change change);
  /// A handler begins to run on the object.
  void started(ObjectId id, double cost_seconds, double weight, Instant now);
  /// A call without announced cost is over.
  void measured(double weight, double run_seconds);

  // --- queries, one thread at a time ---
  [[nodiscard]] RankLoad load(Instant now) const;
  /// Objects with unfinished work and no running handler, of at most `limit` seconds when a weight
  /// of 1 counts `rate` seconds, largest first, until `visit` returns false. `visit` may make the
  /// object leave.
  void for_each_movable(double limit, double rate,
                        const std::function<bool(const ObjectLoad&)>& visit);
  /// Those of more than `limit` seconds, smallest first.
  void for_each_movable_above(double limit, double rate,
                              const std::function<bool(const ObjectLoad&)>& visit);
  [[nodiscard]] std::size_t movable_count();
  [[nodiscard]] double seconds_per_weight() const;

 private:
  struct Entry {
    double seconds = 0;
    double weight = 0;
    std::uint32_t pending_calls = 0;
    std::uint32_t running = 0;
    std::uint32_t moves = 0;
    bool is_dirty = false;  // listed in Shard::dirty
    std::uint64_t bytes = 0;
    std::int64_t arrived_ns = -1;
    double run_seconds = 0;
    [[nodiscard]] bool is_queued() const { return pending_calls > 0 && running == 0; }
  };
  struct Run {
    ObjectId object;
    double seconds;  // announced; negative: weight counts
    double weight;
    Instant begin;
  };
  struct Sums {
    double seconds = 0;
    double weight = 0;
    std::uint32_t objects = 0;
  };
  struct alignas(64) Shard {
    mutable core::SpinLock lock;
    // Under lock:
    std::unordered_map<ObjectId, Entry> entries;
    std::vector<Run> runs;        // handlers running now
    std::vector<ObjectId> dirty;  // changed since the index last looked
    bool all_dirty = false;       // too many to list
    Sums queued;
    Sums running;
    double measured_seconds = 0;  // decayed sums
    double measured_weight = 0;
  };
  using Key = std::pair<double, ObjectId>;
  /// What can move, by size. Objects with announced seconds alone keep their order when the rate
  /// changes; so do the others among themselves.
  struct Index {
    std::set<Key> by_seconds;
    std::set<Key> by_weight;
    std::unordered_map<ObjectId, std::pair<bool, double>> keys;  // by weight?, key
  };

  [[nodiscard]] Shard& shard(ObjectId id) const {
    return shards_[(std::hash<ObjectId>{}(id) >> 12) & mask_];
  }
  static void count(Shard& shard, const Entry& entry, int sign);
  static void mark(Shard& shard, ObjectId id, Entry& entry);
  static void end_run(Shard& shard, ObjectId id);
  void refresh_index();
  void index(ObjectId id, const Entry* entry, double rate);
  [[nodiscard]] double rate() const;
  [[nodiscard]] bool describe(ObjectId id, double rate, ObjectLoad& load) const;

  const WorkerIndex workers_;
  const std::size_t mask_;
  std::unique_ptr<Shard[]> shards_;
  LoadModel model_;
  Index index_;  // the querying thread's
};

}  // namespace roam::balance
