// SPDX-License-Identifier: Apache-2.0
#include "flow/replay.hpp"

#include "flow/countdown.hpp"
#include "flow/task_recorder.hpp"

namespace roam::flow {

Replay::Replay(GraphPlan& plan, Core& core)
    : plan_(plan),
      core_(core),
      has_parts_(plan.has_parts()),
      nodes_(new Node[plan.counts().size()]),
      segments_(new Segment[plan.segments()]),
      borders_(new Border[plan.spans().size()]),
      part_uses_(has_parts_ ? new PartUse[plan.spans().size()] : nullptr) {
  for (std::size_t n = 0; n < plan.counts().size(); ++n) {
    Node& node = nodes_[n];
    node.left.store(plan.counts()[n], std::memory_order_relaxed);
    node.all = plan.counts()[n] & 0x7FFFFFFFU;
    node.is_expected = n < plan.tasks().size() && plan.tasks()[n].is_expected ? 1U : 0U;
    node.task = nullptr;
  }
  for (std::uint32_t s = 0; s < plan.spans().size(); ++s) {
    Border& border = borders_[s];
    const GraphSpan& span = plan.spans()[s];
    border.replay = this;
    border.span = s;
    border.last_uses = span.last_uses;
    border.access.effect = span.effect;
    border.access.is_border = true;
    if (!span.is_part) continue;
    border.access.effect = writes(span.effect) ? Effect::part_modify : Effect::part_read;
    PartUse& use = part_uses_[s];
    use.begin = span.range.begin;
    use.end = span.range.end;
    use.group = span.effect;
    use.access = &border.access;
    border.access.use = &use;
  }
}

void Replay::launch(std::span<TaskRecord* const> tasks, TaskRecorder* recorder) {
  ends_.store(plan_.ends() + 1, std::memory_order_relaxed);
  for (std::uint32_t node = 0; node < tasks.size(); ++node) {
    TaskRecord& task = *tasks[node];
    const std::uint32_t there = give_instances(task, node);
    if (task.has_children_) static_cast<ParentTask&>(task).inner().begin(1);
    if (recorder != nullptr) [[unlikely]]
      recorder->issued(task);
    release(node, there);
  }
  one_is_over();
}

// Gives the task its instances, and returns how many of the things that it waits for are there. If
// an instance is not free, opened() releases the task later.
std::uint32_t Replay::give_instances(TaskRecord& task, std::uint32_t node) {
  std::uint32_t there = 1;
  Access* access = task.first_access();
  for (const GraphUse& use : plan_.uses(node)) {
    const Segment& segment = segments_[use.segment];
    if (use.opens) open(*access->datum, use);
    access->instance = segment.instance;
    access->has_instance = true;
    access->is_special = segment.is_special;
    if (use.is_outer && segment.is_open) ++there;
    ++access;
  }
  if (has_parts_) [[unlikely]]
    there += enter_parts(node);
  task.belonging_.replay = this;
  task.node_ = node;
  nodes_[node].task = &task;
  return there;
}

// Finds the instance of a segment, and enters it for all of its spans: no other task can come
// between them. If parts of it are used, enter_parts() does so.
void Replay::open(Datum& datum, const GraphUse& use) {
  if (use.is_written) datum.note_written();
  Instance& instance = use.effect == Effect::overwrite ? datum.fresh() : datum.instance();
  Segment& segment = segments_[use.segment];
  segment.instance = &instance;
  segment.is_special = use.in_parts;
  segment.is_open = false;
  if (use.in_parts) return;
  const std::uint32_t row = plan_.spans()[use.span].row;
  Border& first = border_of(use.span, instance);
  Border* const second = row > 1 ? &border_of(use.span + 1, instance) : nullptr;
  Border* const third = row > 2 ? &border_of(use.span + 2, instance) : nullptr;
  segment.is_open = instance.enter_row(first.access, second == nullptr ? nullptr : &second->access,
                                       third == nullptr ? nullptr : &third->access);
  // True if parts of the datum are used before the graph.
  segment.is_special = first.access.is_special;
  core_.engine().preemption_point();
}

// The border of a span, ready to enter.
inline Replay::Border& Replay::border_of(std::uint32_t span, Instance& instance) {
  Border& border = borders_[span];
  if (plan_.spans()[span].is_taken) instance.prepare_taking();
  border.access.instance = &instance;
  border.closing.store(border.last_uses, std::memory_order_relaxed);
  return border;
}

[[gnu::noinline]] std::uint32_t Replay::enter_parts(std::uint32_t node) {
  std::uint32_t there = 0;
  for (const GraphUse& use : plan_.part_uses(node)) {
    if (use.enters) {
      Instance& instance = *segments_[use.segment].instance;
      Border& border = border_of(use.span, instance);
      border.was_open = instance.enter(border.access);
      core_.engine().preemption_point();
    }
    if (use.is_first && borders_[use.span].was_open) ++there;
  }
  return there;
}

void Replay::opened(const Access& border) {
  const Border& opened = reinterpret_cast<const Border&>(border);
  Replay& replay = *opened.replay;
  const GraphPlan& plan = replay.plan_;
  for (const std::uint32_t node : plan.first_tasks(plan.spans()[opened.span]))
    replay.release(node, 1);
}

// After the last node that a caller has to release it must not use the Replay any more, which may
// have ended.
void Replay::release(std::uint32_t node, std::uint32_t count) {
  Core& core = core_;
  Node& one = nodes_[node];
  if (counts_to_zero(one.left, count)) {
    one.left.store(one.all, std::memory_order_relaxed);
    start(one, node);
  }
  core.engine().preemption_point();
}

// Joins have no task, and end at once. An expected task also waits for arrived().
inline void Replay::start(const Node& node, std::uint32_t number) {
  if (node.task == nullptr) [[unlikely]] {
    for (const std::uint32_t next : plan_.successors(number)) release(next, 1);
  } else if (node.is_expected != 0) [[unlikely]] {
    core_.unblock(*node.task, 1);
  } else {
    core_.ready(*node.task);
  }
}

void Replay::complete(std::uint32_t node, AccessList& let_in) {
  const std::span<const std::uint32_t> successors = plan_.successors(node);
  if (plan_.tasks()[node].closes) close(plan_.uses(node), let_in);
  if (has_parts_) [[unlikely]]
    close(plan_.part_uses(node), let_in);
  for (const std::uint32_t next : successors) release(next, 1);
  if (successors.empty()) one_is_over();
}

void Replay::close(std::span<const GraphUse> uses, AccessList& let_in) {
  for (const GraphUse& use : uses) {
    if (!use.is_last) continue;
    Border& border = borders_[use.span];
    if (!counts_to_zero(border.closing, 1)) continue;
    Instance* const instance = border.access.instance;
    if (instance->leave(border.access, let_in)) delete instance;
    core_.engine().preemption_point();
  }
}

void Replay::one_is_over() {
  if (counts_to_zero(ends_, 1)) plan_.give_back(*this);
}

}  // namespace roam::flow
