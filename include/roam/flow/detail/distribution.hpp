// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "roam/core/array.hpp"
#include "roam/core/detail/spin_lock.hpp"
#include "roam/core/object_id.hpp"
#include "roam/core/serialise.hpp"
#include "roam/flow/detail/element_load.hpp"
#include "roam/flow/detail/element_reads.hpp"
#include "roam/flow/indices.hpp"
#include "roam/mobile/placement.hpp"

namespace roam::flow {

class CollectionRecord;
class Distributions;
class ElementQueue;
class TaskRecord;

/// The 2^level numbers from `first` on, of indices that collections do not have.
struct IndexGap {
  std::uint64_t first = 0;
  std::uint32_t level = 0;
};

/// Which rank has which indices of the collections of one set of indices and one placement, as far
/// as one rank knows: at first as the placement says, then as balancing has moved them at the ends
/// of phases. The elements of one index, in all these collections, stay together; for balancing
/// they are one mobile object (ElementGroup), whose load is that of the tasks of the index.
///
/// A rank knows which indices it has, and where those are whose home it is. It asks the home of any
/// other index when it needs to know, once in a phase. So no data structure grows with the number
/// of ranks. Used by the scope's thread, except for functions that say otherwise.
class Distribution {
 public:
  /// `set`: the indices within the shape that there are; nullptr: all. `is_measured`: tasks report
  /// the time that they take.
  Distribution(Distributions& all, const DistributionName& name,
               const mobile::CollectionShape& shape, std::shared_ptr<const IndexSet> set, Rank rank,
               bool is_measured);
  Distribution(const Distribution&) = delete;
  Distribution& operator=(const Distribution&) = delete;
  ~Distribution();

  [[nodiscard]] const DistributionName& name() const { return name_; }
  [[nodiscard]] const mobile::CollectionShape& shape() const { return shape_; }
  [[nodiscard]] const std::shared_ptr<const IndexSet>& set() const { return set_; }
  /// Whether it is that of these indices, with the same placement.
  [[nodiscard]] bool is_of(const mobile::CollectionShape& shape,
                           const std::shared_ptr<const IndexSet>& set) const;
  /// Whether an index within the shape is one of a sparse collection.
  [[nodiscard]] bool exists(std::uint64_t index) const {
    return set_ == nullptr || set_->contains(shape_, index);
  }
  /// The indices whose home would be here that do not exist, so that reductions can leave them out
  /// of the tree of all numbers; none for a list that is not placed in blocks, whose gaps may be
  /// many more than its elements.
  [[nodiscard]] const std::vector<IndexGap>& gaps() const { return gaps_; }
  [[nodiscard]] Rank rank() const { return rank_; }
  [[nodiscard]] bool is_measured() const { return is_measured_; }

  // --- indices that are here, in their order; `index`: the number of an index ---
  [[nodiscard]] std::uint64_t count() const { return is_listed_ ? here_.size() : homes_.count(); }
  [[nodiscard]] std::uint64_t index(std::uint64_t position) const {
    return is_listed_ ? here_[position] : homes_.linear(position);
  }
  [[nodiscard]] bool contains(std::uint64_t index) const;
  /// The position of an index, which must be here.
  [[nodiscard]] std::uint64_t position(std::uint64_t index) const;
  /// The load of an index's tasks; none unless is_measured().
  [[nodiscard]] ElementLoadRef load(std::uint64_t position);
  /// Whether it is counted what tasks of its indices read of other indices.
  [[nodiscard]] bool counts_reads() const { return counts_reads_; }
  void set_counts_reads(bool on) { counts_reads_ = on; }
  /// What tasks of an index that is here have read since the last phase ended.
  [[nodiscard]] ElementReads& reads(std::uint64_t position);

  // --- tasks that may run on other ranks ---
  /// Whether balancing policies may move indices within a phase: then each has a queue from the
  /// first operation on.
  [[nodiscard]] bool moves_within_phases() const { return moves_within_phases_; }
  void set_moves_within_phases() { moves_within_phases_ = true; }
  /// The queue of the ready tasks of an index that is here; nullptr: it has none.
  [[nodiscard]] ElementQueue* queue_at(std::uint64_t position) const {
    return position < queues_.size() ? queues_[position].get() : nullptr;
  }
  /// The number of indices that have a queue: all that are here, or none.
  [[nodiscard]] std::uint64_t queue_count() const { return queues_.size(); }
  /// Gives each index that is here its queue, which its object knows.
  void set_queues(std::vector<std::unique_ptr<ElementQueue>> queues) ROAM_EXCLUDES(lock_);
  /// The queue of an index; nullptr: there is none. Any thread; valid until no task is under way.
  [[nodiscard]] ElementQueue* queue_of(std::uint64_t index) const ROAM_EXCLUDES(lock_);

  // --- where others are ---
  /// Whether any index has ever moved at the end of a phase, on any rank.
  [[nodiscard]] bool has_moved() const { return has_moved_; }
  /// The rank that has the index; empty if it is not known here. Any thread, if the index is not
  /// here.
  [[nodiscard]] std::optional<Rank> rank_of(std::uint64_t index) const ROAM_EXCLUDES(lock_);
  /// The rank that knows where an index is that is not here: its home; if that is this rank, the
  /// rank that has it.
  [[nodiscard]] Rank told_rank_of(std::uint64_t index) const ROAM_EXCLUDES(lock_) {
    const Rank home = shape_.home(index);
    return home == rank_ ? rank_for_others(index) : home;
  }
  /// Asks for the rank of an index. Core::arrived() is called for the task, which was submitted by
  /// submit_expected(), when rank_of() knows the rank.
  void find_for(std::uint64_t index, TaskRecord& task) ROAM_EXCLUDES(lock_);
  /// Receives the answer of the home. Any thread.
  void learn(std::uint64_t index, Rank rank) ROAM_EXCLUDES(lock_);
  /// Answers another rank's question to the home of an index. Any thread.
  [[nodiscard]] Rank rank_for_others(std::uint64_t index) const ROAM_EXCLUDES(lock_);
  /// Tells the home that the index has gone to `rank`. Any thread, before the phase has ended
  /// everywhere.
  void note_moved(std::uint64_t index, Rank rank) ROAM_EXCLUDES(lock_);

  // --- collections ---
  void add(CollectionRecord& collection) { collections_.push_back(&collection); }
  void remove(const CollectionRecord& collection);

  // --- the end of a phase ---
  /// The mobile objects of the indices that are here; as many as have been made.
  [[nodiscard]] std::vector<ObjectId>& groups() { return groups_; }
  /// That of an index that is here and has one.
  [[nodiscard]] ObjectId group(std::uint64_t index) const { return groups_[position(index)]; }
  /// Returns the time taken by the tasks of an index since the last call.
  [[nodiscard]] Duration take_load(std::uint64_t position);
  /// Returns what the tasks of each index have read since the last call, by position; empty: no
  /// task has read anything. No task may be under way.
  [[nodiscard]] std::vector<std::unique_ptr<ElementReads>> take_reads() {
    return std::exchange(reads_, {});
  }
  /// Writes the elements of an index that is here. No task may be using them; any thread.
  void write_elements(core::Packer& packer, std::uint64_t index) const;
  /// What that writes, in memory that is taken once if `expected_bytes` is how much it is.
  [[nodiscard]] Array<std::byte> pack_elements(std::uint64_t index,
                                               std::size_t expected_bytes) const;
  /// Reports that an index has come, with its elements as packed by pack_elements(). Any thread.
  void note_arrival(std::uint64_t index, ObjectId group, Array<std::byte>&& elements)
      ROAM_EXCLUDES(lock_);
  /// To be called when all ranks know what has moved: adds what has come and removes what has gone.
  /// `has_gone`: by position. On all ranks, if anything has moved on any.
  void rearrange(const std::vector<bool>& has_gone) ROAM_EXCLUDES(lock_);
  /// Forgets what was sent to and received from neighbours in the phase before.
  void begin_phase() ROAM_EXCLUDES(lock_);

 private:
  struct Arrival {
    std::uint64_t index;
    ObjectId group;
    Array<std::byte> elements;
  };
  void read_elements(const Arrival& arrival);
  void list_those_here();
  void add_gap(std::uint64_t begin, std::uint64_t end);

  Distributions& all_;
  const DistributionName name_;
  const mobile::CollectionShape shape_;
  const std::shared_ptr<const IndexSet> set_;
  const Rank rank_;
  const bool is_measured_;
  const mobile::HomeElements homes_;
  bool has_moved_ = false;           // true if anything has ever moved, on any rank
  bool is_listed_ = false;           // true if here_ is used: it is sparse, or has moved
  std::vector<std::uint64_t> here_;  // sorted
  std::vector<IndexGap> gaps_;
  std::vector<ElementLoadRef> loads_;  // by position; empty: not measured
  bool counts_reads_ = false;
  bool moves_within_phases_ = false;
  std::vector<std::unique_ptr<ElementReads>> reads_;  // by position, as far as there are any
  std::vector<ObjectId> groups_;                      // by position
  std::vector<CollectionRecord*> collections_;
  std::vector<std::unique_ptr<ElementQueue>> queues_;  // by position; empty: there are none
  mutable core::SpinLock lock_;
  std::unordered_map<std::uint64_t, ElementQueue*> queue_of_ ROAM_GUARDED_BY(lock_);  // by index
  // Indices whose home is here and that are elsewhere: the rank that has them.
  std::unordered_map<std::uint64_t, Rank> away_ ROAM_GUARDED_BY(lock_);
  // Answers about other indices in this phase; tasks may wait for an answer.
  struct Found {
    Rank rank = no_rank;
    std::vector<TaskRecord*> wait;
  };
  std::unordered_map<std::uint64_t, Found> found_ ROAM_GUARDED_BY(lock_);
  std::vector<Arrival> arrivals_ ROAM_GUARDED_BY(lock_);
};

}  // namespace roam::flow
