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

GraphPlan::GraphPlan(std::vector<GraphTask> tasks, std::vector<GraphUse> uses,
                     std::vector<GraphRange> ranges, bool is_cut)
    : tasks_(std::move(tasks)),
      use_count_(uses.size()),
      uses_(std::move(uses)),
      ranges_(std::move(ranges)),
      is_cut_(is_cut) {
  task_of_use_.resize(uses_.size());
  counts_.resize(tasks_.size());
  for (std::uint32_t k = 0; k < tasks_.size(); ++k) {
    counts_[k] = 1;
    for (std::uint32_t i = 0; i < tasks_[k].use_count; ++i)
      task_of_use_[tasks_[k].first_use + i] = k;
  }
  std::vector<Edge> edges;
  AllDivided divided;
  number_segments(divided);
  for (const Groups& groups : find_groups()) {
    if (!groups.empty()) add_spans(groups, edges);
  }
  if (!divided.empty()) {
    add_part_uses(divided);
    add_parts(divided, edges);
  }
  set_edges(edges);
  summarise_uses();
}

GraphPlan::~GraphPlan() = default;

// A use that overwrites begins a new segment. Segments with parts are divided at the ends of these.
void GraphPlan::number_segments(AllDivided& divided) {
  constexpr std::uint32_t none = ~std::uint32_t{0};
  std::vector<std::uint32_t> present;  // the segment of each datum
  for (GraphUse& use : uses_) {
    if (use.datum >= present.size()) present.resize(use.datum + 1, none);
    std::uint32_t& segment = present[use.datum];
    // The use may have been copied from another plan.
    use.enters = use.is_first = use.is_last = use.in_parts = use.is_written = use.is_outer = false;
    use.opens = segment == none || use.effect == Effect::overwrite;
    if (use.opens) segment = segments_++;
    use.segment = segment;
    if (!is_part(use.effect)) continue;
    const GraphRange range = range_of(use);
    std::vector<std::size_t>& begins = divided[segment].begins;
    begins.insert(begins.end(), {0, range.begin, range.end});
  }
  for (auto& [segment, one] : divided) {
    std::sort(one.begins.begin(), one.begins.end());
    one.begins.erase(std::unique(one.begins.begin(), one.begins.end()), one.begins.end());
    one.groups.resize(one.begins.size());
  }
  for (GraphUse& use : uses_) use.in_parts = !divided.empty() && divided.contains(use.segment);
}

// Consecutive uses whose tasks may run beside each other make a group.
void GraphPlan::add_to(Groups& groups, std::uint32_t use) const {
  if (groups.empty() || !are_beside(uses_[use].effect, uses_[groups.back().front()].effect))
    groups.emplace_back();
  groups.back().push_back(use);
}

// The groups of each segment of which no parts are used.
std::vector<GraphPlan::Groups> GraphPlan::find_groups() {
  std::vector<Groups> segments(segments_);
  for (std::uint32_t i = 0; i < use_count_; ++i) {
    if (!uses_[i].in_parts) add_to(segments[uses_[i].segment], i);
  }
  return segments;
}

// For each use of an instance with parts, one of each division of its range. A task that is given
// one division twice reads it twice.
void GraphPlan::add_part_uses(AllDivided& divided) {
  first_part_use_.reserve(tasks_.size() + 1);
  for (std::uint32_t k = 0; k < tasks_.size(); ++k) {
    first_part_use_.push_back(static_cast<std::uint32_t>(uses_.size()));
    for (std::uint32_t i = tasks_[k].first_use; i < tasks_[k].first_use + tasks_[k].use_count;
         ++i) {
      if (!uses_[i].in_parts) continue;
      const GraphRange range = range_of(uses_[i]);
      GraphUse use = uses_[i];
      use.opens = false;
      if (use.effect == Effect::part_read) use.effect = Effect::read;
      if (use.effect == Effect::part_modify) use.effect = Effect::modify;
      Divided& one = divided.find(use.segment)->second;
      for (std::size_t d = 0; d < one.begins.size(); ++d) {
        if (one.begins[d] < range.begin || one.begins[d] >= range.end) continue;
        Groups& groups = one.groups[d];
        if (!groups.empty() && task_of_use_[groups.back().back()] == k) continue;
        uses_.push_back(use);
        task_of_use_.push_back(k);
        add_to(groups, static_cast<std::uint32_t>(uses_.size() - 1));
      }
    }
  }
  first_part_use_.push_back(static_cast<std::uint32_t>(uses_.size()));
}

void GraphPlan::add_parts(const AllDivided& divided, std::vector<Edge>& edges) {
  for (const auto& [segment, one] : divided) {
    for (std::size_t d = 0; d < one.begins.size(); ++d) {
      if (one.groups[d].empty()) continue;
      std::size_t next = spans_.size();
      add_spans(one.groups[d], edges);
      for (; next < spans_.size(); ++next) {
        spans_[next].is_part = true;
        spans_[next].range.begin = one.begins[d];
        if (d + 1 < one.begins.size()) spans_[next].range.end = one.begins[d + 1];
      }
    }
  }
}

void GraphPlan::add_spans(std::span<const std::vector<std::uint32_t>> groups,
                          std::vector<Edge>& edges) {
  const auto can_share = [&](const auto& group) { return is_shared(uses_[group.front()].effect); };
  const std::size_t first = spans_.size();
  const std::vector<std::uint32_t>& first_uses = groups.front();
  if (groups.size() > 1 && can_share(groups.front())) {
    add_span(groups.first(1), edges);
    groups = groups.subspan(1);
  }
  if (groups.size() > 1 && can_share(groups.back())) {
    add_span(groups.first(groups.size() - 1), edges);
    groups = groups.last(1);
  }
  add_span(groups, edges);
  for (std::size_t s = first; s < spans_.size(); ++s)
    spans_[s].row = static_cast<std::uint32_t>(spans_.size() - s);
  for (const std::uint32_t use : first_uses) uses_[use].is_outer = !uses_[use].in_parts;
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

// What launching and completing a task ask first.
void GraphPlan::summarise_uses() {
  std::vector<GraphUse*> first_uses;  // of each datum
  for (std::size_t i = 0; i < use_count_; ++i) {
    if (uses_[i].appears) first_uses.push_back(&uses_[i]);
    if (writes(uses_[i].effect)) first_uses[uses_[i].datum]->is_written = true;
  }
  for (GraphTask& task : tasks_) {
    const auto uses = std::span(uses_).subspan(task.first_use, task.use_count);
    task.closes =
        std::any_of(uses.begin(), uses.end(), [](const GraphUse& use) { return use.is_last; });
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
