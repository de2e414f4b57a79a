// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "roam/core/detail/spin_lock.hpp"
#include "roam/core/object_id.hpp"
#include "roam/core/serialise.hpp"
#include "roam/flow/detail/element_load.hpp"
#include "roam/mobile/placement.hpp"

namespace roam::flow {

class CollectionRecord;
class Distributions;
class TaskRecord;

/// Of the collections of one extent and placement in one flow: the same on all ranks.
struct DistributionName {
  std::uint32_t flow = 0;
  std::uint32_t number = 0;  ///< of the first of these collections
  friend bool operator==(const DistributionName&, const DistributionName&) = default;
};

/// Which rank has which indices of the collections of one extent and placement, as far as one rank
/// knows: in the beginning as the placement says, then as balancing has moved them at the ends of
/// phases. The elements of one index, in all these collections, stay together; for balancing they
/// are one mobile object (ElementGroup), whose load is what the tasks of the index take.
///
/// A rank knows its own indices, and of those whose home it is where they are. Of others it asks
/// the home when it needs to know, once in a phase. So nothing grows with the number of ranks.
/// By the scope's thread, but for what is marked.
class Distribution {
 public:
  /// `is_measured`: tasks tell what they take.
  Distribution(Distributions& all, const DistributionName& name,
               const mobile::CollectionShape& shape, Rank rank, bool is_measured);
  Distribution(const Distribution&) = delete;
  Distribution& operator=(const Distribution&) = delete;
  ~Distribution();

  [[nodiscard]] const DistributionName& name() const { return name_; }
  [[nodiscard]] const mobile::CollectionShape& shape() const { return shape_; }
  [[nodiscard]] Rank rank() const { return rank_; }
  [[nodiscard]] bool is_measured() const { return is_measured_; }

  // --- indices that are here, in their order; `index`: as one number ---
  [[nodiscard]] std::uint64_t count() const { return has_moved_ ? here_.size() : homes_.count(); }
  [[nodiscard]] std::uint64_t index(std::uint64_t position) const {
    return has_moved_ ? here_[position] : homes_.linear(position);
  }
  [[nodiscard]] bool contains(std::uint64_t index) const;
  /// Requires that it is here.
  [[nodiscard]] std::uint64_t position(std::uint64_t index) const;
  /// Of the task for an index; none unless is_measured().
  [[nodiscard]] ElementLoadRef load(std::uint64_t position);

  // --- where others are ---
  /// Nothing: it is not known here. Any thread, if the index is not here.
  [[nodiscard]] std::optional<Rank> rank_of(std::uint64_t index) const ROAM_EXCLUDES(lock_);
  /// The task, which has been submitted as one that expects something, is told by Core::arrived()
  /// when rank_of() knows the rank.
  void find_for(std::uint64_t index, TaskRecord& task) ROAM_EXCLUDES(lock_);
  /// The home has answered. Any thread.
  void learn(std::uint64_t index, Rank rank) ROAM_EXCLUDES(lock_);
  /// What is asked of the home of an index. Any thread.
  [[nodiscard]] Rank rank_for_others(std::uint64_t index) const ROAM_EXCLUDES(lock_);
  /// To the home: the index has gone to `rank`. Any thread, before the phase ends everywhere.
  void note_moved(std::uint64_t index, Rank rank) ROAM_EXCLUDES(lock_);

  // --- collections ---
  void add(CollectionRecord& collection) { collections_.push_back(&collection); }
  void remove(const CollectionRecord& collection);

  // --- the end of a phase ---
  /// The mobile objects of the indices that are here; as many as have been made.
  [[nodiscard]] std::vector<ObjectId>& groups() { return groups_; }
  /// What the tasks of an index have taken since the last time.
  [[nodiscard]] Duration take_load(std::uint64_t position);
  /// The elements of an index that is here. No task uses them; any thread.
  void write_elements(core::Packer& packer, std::uint64_t index) const;
  /// An index has come, with its elements as write_elements() wrote them. Any thread.
  void note_arrival(std::uint64_t index, ObjectId group, std::vector<std::byte>&& elements)
      ROAM_EXCLUDES(lock_);
  /// All ranks know what has moved: takes in what has come and gives up what has gone. `has_gone`:
  /// by position. On all ranks, if anything has moved on any.
  void rearrange(const std::vector<bool>& has_gone) ROAM_EXCLUDES(lock_);
  /// All that was sent and received for neighbours is of the phase before.
  void begin_phase() ROAM_EXCLUDES(lock_);

 private:
  struct Arrival {
    std::uint64_t index;
    ObjectId group;
    std::vector<std::byte> elements;
  };
  void read_elements(const Arrival& arrival);

  Distributions& all_;
  const DistributionName name_;
  const mobile::CollectionShape shape_;
  const Rank rank_;
  const bool is_measured_;
  const mobile::HomeElements homes_;
  bool has_moved_ = false;             // anything, anywhere
  std::vector<std::uint64_t> here_;    // once something has; sorted
  std::vector<ElementLoadRef> loads_;  // by position; empty: none has been asked for
  std::vector<ObjectId> groups_;       // by position
  std::vector<CollectionRecord*> collections_;
  mutable core::SpinLock lock_;
  // Of indices whose home is here: where they are, if not here.
  std::unordered_map<std::uint64_t, Rank> away_ ROAM_GUARDED_BY(lock_);
  // Of others, since the last phase; tasks wait for those that have not been answered.
  struct Found {
    Rank rank = no_rank;
    std::vector<TaskRecord*> wait;
  };
  std::unordered_map<std::uint64_t, Found> found_ ROAM_GUARDED_BY(lock_);
  std::vector<Arrival> arrivals_ ROAM_GUARDED_BY(lock_);
};

}  // namespace roam::flow
