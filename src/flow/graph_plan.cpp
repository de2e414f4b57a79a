// SPDX-License-Identifier: Apache-2.0
#include "flow/graph_plan.hpp"

#include <algorithm>
#include <utility>

#include "flow/replay.hpp"

namespace roam::flow {

namespace {

// Whether two tasks with these effects on one instance may run beside each other.
bool are_beside(Effect effect, Effect other) {
  const auto of_children = [](Effect e) { return e == Effect::schedule_read ? Effect::read : e; };
  return is_shared(effect) && of_children(effect) == of_children(other);
}

}  // namespace

GraphPlan::GraphPlan(std::vector<GraphTask> tasks, std::vector<GraphUse> uses, bool is_cut)
    : tasks_(std::move(tasks)), uses_(std::move(uses)), is_cut_(is_cut) {
  task_of_use_.resize(uses_.size());
  counts_.resize(tasks_.size());
  for (std::uint32_t k = 0; k < tasks_.size(); ++k) {
    counts_[k] = 1;
    for (std::uint32_t i = 0; i < tasks_[k].use_count; ++i)
      task_of_use_[tasks_[k].first_use + i] = k;
  }
  std::vector<Edge> edges;
  const std::vector<Groups> segments = find_segments();
  segments_ = static_cast<std::uint32_t>(segments.size());
  for (const Groups& groups : segments) add_spans(groups, edges);
  set_edges(edges);
}

GraphPlan::~GraphPlan() = default;

// Consecutive uses whose tasks may run beside each other make a group; a use that overwrites begins
// a new segment.
std::vector<GraphPlan::Groups> GraphPlan::find_segments() {
  constexpr std::uint32_t none = ~std::uint32_t{0};
  std::vector<Groups> segments;
  std::vector<std::uint32_t> present;  // the segment of each datum
  for (std::uint32_t i = 0; i < uses_.size(); ++i) {
    GraphUse& use = uses_[i];
    if (use.datum >= present.size()) present.resize(use.datum + 1, none);
    std::uint32_t& segment = present[use.datum];
    use.enters = use.is_first = use.is_last =
        false;  // the use may have been copied from another plan
    use.opens = segment == none || use.effect == Effect::overwrite;
    if (use.opens) {
      segment = static_cast<std::uint32_t>(segments.size());
      segments.emplace_back();
    }
    use.segment = segment;
    Groups& groups = segments[segment];
    if (groups.empty() || !are_beside(use.effect, uses_[groups.back().front()].effect))
      groups.emplace_back();
    groups.back().push_back(i);
  }
  return segments;
}

void GraphPlan::add_spans(std::span<const std::vector<std::uint32_t>> groups,
                          std::vector<Edge>& edges) {
  const auto can_share = [&](const auto& group) { return is_shared(uses_[group.front()].effect); };
  if (groups.size() > 1 && can_share(groups.front())) {
    add_span(groups.first(1), edges);
    groups = groups.subspan(1);
  }
  if (groups.size() > 1 && can_share(groups.back())) {
    add_span(groups.first(groups.size() - 1), edges);
    groups = groups.last(1);
  }
  add_span(groups, edges);
}

void GraphPlan::add_span(std::span<const std::vector<std::uint32_t>> groups,
                         std::vector<Edge>& edges) {
  const auto number = static_cast<std::uint32_t>(spans_.size());
  GraphSpan& span = spans_.emplace_back();
  uses_[groups.front().front()].enters = true;
  for (const auto& group : groups) {
    span.is_taken = span.is_taken || uses_[group.front()].effect == Effect::commute;
    for (const std::uint32_t use : group) uses_[use].span = number;
  }
  const Effect effect = uses_[groups.front().front()].effect;
  if (groups.size() == 1 && is_shared(effect))
    span.effect = effect == Effect::commute ? Effect::commute : Effect::read;
  for (const std::uint32_t use : groups.back()) uses_[use].is_last = true;
  span.last_uses = static_cast<std::uint32_t>(groups.back().size());
  span.first_begin = static_cast<std::uint32_t>(first_tasks_.size());
  for (const std::uint32_t use : groups.front()) {
    uses_[use].is_first = true;
    first_tasks_.push_back(task_of_use_[use]);
    ++counts_[task_of_use_[use]];
  }
  span.first_end = static_cast<std::uint32_t>(first_tasks_.size());
  for (std::size_t g = 1; g < groups.size(); ++g) join(groups[g - 1], groups[g], edges);
}

// Makes all tasks of a group wait for all of the one before, through a join if that needs fewer
// edges.
void GraphPlan::join(std::span<const std::uint32_t> before, std::span<const std::uint32_t> after,
                     std::vector<Edge>& edges) {
  if (before.size() * after.size() <= 2 * (before.size() + after.size())) {
    for (const std::uint32_t b : before) {
      for (const std::uint32_t a : after) edges.emplace_back(task_of_use_[b], task_of_use_[a]);
    }
    return;
  }
  const auto node = static_cast<std::uint32_t>(counts_.size());
  counts_.push_back(0);
  for (const std::uint32_t b : before) edges.emplace_back(task_of_use_[b], node);
  for (const std::uint32_t a : after) edges.emplace_back(node, task_of_use_[a]);
}

// Stores each edge once, although two tasks may share several data.
void GraphPlan::set_edges(std::vector<Edge>& edges) {
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  first_successor_.assign(counts_.size() + 1, 0);
  successors_.reserve(edges.size());
  for (const auto& [from, to] : edges) {
    ++first_successor_[from + 1];
    successors_.push_back(to);
    ++counts_[to];
  }
  for (std::size_t node = 0; node < counts_.size(); ++node) {
    if (first_successor_[node + 1] == 0) ++ends_;
    first_successor_[node + 1] += first_successor_[node];
  }
}

Replay& GraphPlan::take(Core& core) {
  in_use_.fetch_add(1, std::memory_order_relaxed);
  {
    const core::LockGuard guard(lock_);
    if (!free_.empty()) {
      Replay* const replay = free_.back();
      free_.pop_back();
      return *replay;
    }
  }
  auto made = std::make_unique<Replay>(*this, core);
  Replay& replay = *made;
  const core::LockGuard guard(lock_);
  replays_.push_back(std::move(made));
  free_.reserve(replays_.size());
  return replay;
}

void GraphPlan::give_back(Replay& replay) {
  {
    const core::LockGuard guard(lock_);
    free_.push_back(&replay);
  }
  in_use_.fetch_sub(1, std::memory_order_release);
}

}  // namespace roam::flow
