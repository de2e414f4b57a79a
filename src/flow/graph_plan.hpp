// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <typeinfo>
#include <vector>

#include "roam/core/detail/spin_lock.hpp"
#include "roam/flow/task_record.hpp"

namespace roam::flow {

class Replay;

/// One use of a datum by a task of a graph.
struct GraphUse {
  std::uint32_t datum = 0;    // data are numbered in the order in which they appear
  std::uint32_t segment = 0;  // the versions of the datum in one instance
  std::uint32_t span = 0;
  Effect effect = Effect::read;
  bool appears = false;      // the first use of the datum
  bool was_written = false;  // before that
  bool opens = false;        // the first use of the segment
  bool enters = false;       // the first use of the span
  bool is_first = false;     // of those that wait for what comes before the span
  bool is_last = false;      // of those that what comes after the span waits for
};

/// A task of a graph, as one can tell it from others.
struct GraphTask {
  const std::type_info* type = nullptr;  // by which its function and effects are known
  std::uint32_t first_use = 0;
  std::uint32_t use_count = 0;
  bool is_expected = false;  // it needs something from elsewhere, too
};

/// Uses of one instance by tasks of the graph that follow each other, for which the graph uses it
/// once. Those that can share the instance with tasks before or after the graph have a span of
/// their own, so that nobody waits for more than if tasks were tracked.
struct GraphSpan {
  Effect effect = Effect::modify;
  bool is_taken = false;          // by tasks that commute
  std::uint32_t last_uses = 0;    // how many are the last
  std::uint32_t first_begin = 0;  // in `first_tasks`
  std::uint32_t first_end = 0;
};

/// The tasks of a graph in the order in which they were issued, and who waits for whom. Nodes are
/// the tasks, by number, and after them joins: in place of edges from many to many. Constant but
/// for the Replays that wait to be used again.
class GraphPlan {
 public:
  /// Of tasks whose uses say which datum, what effect, and whether it appears. `is_cut`: there are
  /// more, which cannot be replayed.
  GraphPlan(std::vector<GraphTask> tasks, std::vector<GraphUse> uses, bool is_cut);
  GraphPlan(const GraphPlan&) = delete;
  GraphPlan& operator=(const GraphPlan&) = delete;
  ~GraphPlan();

  [[nodiscard]] std::span<const GraphTask> tasks() const { return tasks_; }
  [[nodiscard]] std::span<const GraphUse> uses() const { return uses_; }
  [[nodiscard]] std::span<const GraphUse> uses(std::size_t task) const {
    return std::span(uses_).subspan(tasks_[task].first_use, tasks_[task].use_count);
  }
  [[nodiscard]] bool is_cut() const { return is_cut_; }
  [[nodiscard]] std::uint32_t segments() const { return segments_; }
  [[nodiscard]] std::span<const GraphSpan> spans() const { return spans_; }
  /// The tasks of the first uses of a span.
  [[nodiscard]] std::span<const std::uint32_t> first_tasks(const GraphSpan& span) const {
    return std::span(first_tasks_).subspan(span.first_begin, span.first_end - span.first_begin);
  }
  /// Of each node: what it waits for, issue included.
  [[nodiscard]] std::span<const std::uint32_t> counts() const { return counts_; }
  [[nodiscard]] std::span<const std::uint32_t> successors(std::uint32_t node) const {
    return std::span(successors_)
        .subspan(first_successor_[node], first_successor_[node + 1] - first_successor_[node]);
  }
  /// Nodes without successors.
  [[nodiscard]] std::uint32_t ends() const { return ends_; }

  /// To be launched, or given back. By the main program.
  [[nodiscard]] Replay& take(Core& core) ROAM_EXCLUDES(lock_);
  /// It is over. Any thread; the last thing that it does with either.
  void give_back(Replay& replay) ROAM_EXCLUDES(lock_);
  [[nodiscard]] bool is_in_use() const { return in_use_.load(std::memory_order_acquire) > 0; }

 private:
  using Edge = std::pair<std::uint32_t, std::uint32_t>;
  using Groups = std::vector<std::vector<std::uint32_t>>;  // uses that may be beside each other
  [[nodiscard]] std::vector<Groups> find_segments();
  void add_spans(std::span<const std::vector<std::uint32_t>> groups, std::vector<Edge>& edges);
  void add_span(std::span<const std::vector<std::uint32_t>> groups, std::vector<Edge>& edges);
  void join(std::span<const std::uint32_t> before, std::span<const std::uint32_t> after,
            std::vector<Edge>& edges);
  void set_edges(std::vector<Edge>& edges);

  const std::vector<GraphTask> tasks_;
  std::vector<GraphUse> uses_;
  const bool is_cut_;
  std::vector<std::uint32_t> task_of_use_;
  std::uint32_t segments_ = 0;
  std::vector<GraphSpan> spans_;
  std::vector<std::uint32_t> first_tasks_;
  std::vector<std::uint32_t> counts_;
  std::vector<std::uint32_t> first_successor_;  // and the end
  std::vector<std::uint32_t> successors_;
  std::uint32_t ends_ = 0;
  core::SpinLock lock_;
  std::vector<std::unique_ptr<Replay>> replays_ ROAM_GUARDED_BY(lock_);
  std::vector<Replay*> free_ ROAM_GUARDED_BY(lock_);
  std::atomic<std::uint32_t> in_use_{0};
};

}  // namespace roam::flow
