// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <typeinfo>
#include <utility>
#include <vector>

#include "roam/core/detail/spin_lock.hpp"
#include "roam/flow/task_record.hpp"

namespace roam::flow {

class Replay;

/// One use of a datum by a task of a graph.
struct GraphUse {
  std::uint32_t datum = 0;    // number of the datum, in the order in which data appear
  std::uint32_t segment = 0;  // number of the sequence of versions that share one instance
  // Number of the GraphSpan that the use is part of; or of its range, if it is of a part.
  std::uint32_t span = 0;
  Effect effect = Effect::read;
  bool appears = false;      // this is the first use of the datum
  bool was_written = false;  // the datum had been written before that use
  bool opens = false;        // this is the first use of the segment
  bool enters = false;       // this is the first use of the span
  bool is_first = false;     // it waits for what comes before the span
  bool is_last = false;      // what comes after the span waits for it
  bool in_parts = false;     // parts of the instance are used: part_uses() has what it waits for
  bool is_written = false;   // some use of the datum writes it; set for the first use
  bool is_outer = false;     // it waits for what comes before the segment, if not in_parts
};

/// Elements [begin, end) of a datum.
struct GraphRange {
  std::size_t begin = 0;
  std::size_t end = PartUse::whole_end;
};

/// A task of a graph: what is compared to find whether a task is the same as in the last call.
struct GraphTask {
  const std::type_info* type =
      nullptr;  // the type of its TaskRecord, which determines its function and effects
  std::uint32_t first_use = 0;
  std::uint32_t use_count = 0;
  bool is_expected = false;  // it also waits for a value from another rank
  bool closes = false;       // one of its uses is a last one
};

/// Uses of one instance by tasks of the graph that follow each other, for which the graph uses it
/// once. Uses that can share the instance with tasks before or after the graph have a span of their
/// own, so that no task waits for more than it would if tasks were tracked.
struct GraphSpan {
  Effect effect = Effect::modify;
  bool is_taken = false;        // true if tasks of it commute: they take the instance one at a time
  std::uint32_t row = 1;        // number of spans, from this one on, in the same segment
  std::uint32_t last_uses = 0;  // number of uses that what comes after the span waits for
  std::uint32_t first_begin = 0;  // the first of its entries in first_tasks_
  std::uint32_t first_end = 0;
  bool is_part = false;  // true: it uses this range alone
  GraphRange range;
};

/// The tasks of a graph in the order in which they were issued, and who waits for whom. Nodes are
/// the tasks, by number, and after them joins, which take the place of edges from many tasks to
/// many. Nothing changes after construction but the list of Replays, which are used again.
///
/// If parts of an instance are used, its index range is divided at the ends of all of them, and a
/// task waits in each division that its range contains as it would for an instance: the uses of
/// divisions, and their spans, are in addition to those of the data.
class GraphPlan {
 public:
  /// A plan of tasks; of their uses the datum, the effect, the number of the range of a part, and
  /// whether the datum appears must be set. `is_cut`: the body issues more tasks, which cannot be
  /// replayed.
  GraphPlan(std::vector<GraphTask> tasks, std::vector<GraphUse> uses,
            std::vector<GraphRange> ranges, bool is_cut);
  GraphPlan(const GraphPlan&) = delete;
  GraphPlan& operator=(const GraphPlan&) = delete;
  ~GraphPlan();

  [[nodiscard]] std::span<const GraphTask> tasks() const { return tasks_; }
  [[nodiscard]] std::span<const GraphUse> uses() const {
    return std::span(uses_).first(use_count_);
  }
  [[nodiscard]] std::span<const GraphUse> uses(std::size_t task) const {
    return std::span(uses_).subspan(tasks_[task].first_use, tasks_[task].use_count);
  }
  [[nodiscard]] const std::vector<GraphRange>& ranges() const { return ranges_; }
  [[nodiscard]] bool has_parts() const { return !first_part_use_.empty(); }
  /// The task's uses of divisions; if has_parts().
  [[nodiscard]] std::span<const GraphUse> part_uses(std::size_t task) const {
    return std::span(uses_).subspan(first_part_use_[task],
                                    first_part_use_[task + 1] - first_part_use_[task]);
  }
  [[nodiscard]] bool is_cut() const { return is_cut_; }
  [[nodiscard]] std::uint32_t segments() const { return segments_; }
  [[nodiscard]] std::span<const GraphSpan> spans() const { return spans_; }
  /// The tasks that wait for what comes before a span.
  [[nodiscard]] std::span<const std::uint32_t> first_tasks(const GraphSpan& span) const {
    return std::span(first_tasks_).subspan(span.first_begin, span.first_end - span.first_begin);
  }
  /// For each node the number of things that it waits for; being issued is one of them.
  [[nodiscard]] std::span<const std::uint32_t> counts() const { return counts_; }
  [[nodiscard]] std::span<const std::uint32_t> successors(std::uint32_t node) const {
    return std::span(successors_)
        .subspan(first_successor_[node], first_successor_[node + 1] - first_successor_[node]);
  }
  /// The number of nodes without successors.
  [[nodiscard]] std::uint32_t ends() const { return ends_; }

  /// A Replay for the caller to launch; it gives itself back. Called by the main program alone.
  [[nodiscard]] Replay& take(Core& core) ROAM_EXCLUDES(lock_);
  /// Takes back a Replay whose tasks have all ended; the caller must not use either afterwards. Any
  /// thread.
  void give_back(Replay& replay) ROAM_EXCLUDES(lock_);
  [[nodiscard]] bool is_in_use() const { return in_use_.load(std::memory_order_acquire) > 0; }

 private:
  using Edge = std::pair<std::uint32_t, std::uint32_t>;
  using Groups = std::vector<std::vector<std::uint32_t>>;  // each inner list: uses that may run
                                                           // beside each other
  /// What is known of the instance of a segment of which parts are used.
  struct Divided {
    std::vector<std::size_t> begins;  // of its divisions, in order
    std::vector<Groups> groups;       // by division
  };
  using AllDivided = std::map<std::uint32_t, Divided>;  // by segment
  void number_segments(AllDivided& divided);
  [[nodiscard]] std::vector<Groups> find_groups();
  void add_part_uses(AllDivided& divided);
  void add_parts(const AllDivided& divided, std::vector<Edge>& edges);
  void add_to(Groups& groups, std::uint32_t use) const;
  [[nodiscard]] GraphRange range_of(const GraphUse& use) const {
    return is_part(use.effect) ? ranges_[use.span] : GraphRange{};
  }
  void add_spans(std::span<const std::vector<std::uint32_t>> groups, std::vector<Edge>& edges);
  void add_span(std::span<const std::vector<std::uint32_t>> groups, std::vector<Edge>& edges);
  void join(std::span<const std::uint32_t> before, std::span<const std::uint32_t> after,
            std::vector<Edge>& edges);
  void set_edges(std::vector<Edge>& edges);
  void summarise_uses();

  std::vector<GraphTask> tasks_;
  const std::size_t use_count_;
  std::vector<GraphUse> uses_;  // use_count_ of data, and then those of divisions, by task
  const std::vector<GraphRange> ranges_;
  std::vector<std::uint32_t> first_part_use_;  // one more at the end; empty: there are none
  const bool is_cut_;
  std::vector<std::uint32_t> task_of_use_;
  std::uint32_t segments_ = 0;
  std::vector<GraphSpan> spans_;
  std::vector<std::uint32_t> first_tasks_;
  std::vector<std::uint32_t> counts_;
  std::vector<std::uint32_t> first_successor_;  // one more at the end
  std::vector<std::uint32_t> successors_;
  std::uint32_t ends_ = 0;
  core::SpinLock lock_;
  std::vector<std::unique_ptr<Replay>> replays_ ROAM_GUARDED_BY(lock_);
  std::vector<Replay*> free_ ROAM_GUARDED_BY(lock_);
  std::atomic<std::uint32_t> in_use_{0};
};

}  // namespace roam::flow
