// SPDX-License-Identifier: Apache-2.0
#include "flow/replay.hpp"

#include "flow/task_recorder.hpp"

namespace roam::flow {

Replay::Replay(GraphPlan& plan, Core& core)
    : plan_(plan),
      core_(core),
      has_parts_(plan.has_parts()),
      counts_(new std::atomic<std::uint32_t>[plan.counts().size()]),
      tasks_(new TaskRecord*[plan.tasks().size()]),
      instances_(new Instance*[plan.segments()]),
      closing_(new std::atomic<std::uint32_t>[plan.spans().size()]),
      borders_(new Border[plan.spans().size()]),
      part_uses_(has_parts_ ? new PartUse[plan.spans().size()] : nullptr) {
  for (std::uint32_t s = 0; s < plan.spans().size(); ++s) {
    Border& border = borders_[s];
    border.replay = this;
    border.span = s;
    const GraphSpan& span = plan.spans()[s];
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

void Replay::begin() {
  const std::span<const std::uint32_t> counts = plan_.counts();
  for (std::size_t node = 0; node < counts.size(); ++node)
    counts_[node].store(counts[node], std::memory_order_relaxed);
  const std::span<const GraphSpan> spans = plan_.spans();
  for (std::size_t s = 0; s < spans.size(); ++s)
    closing_[s].store(spans[s].last_uses, std::memory_order_relaxed);
  ends_.store(plan_.ends() + 1, std::memory_order_relaxed);
}

void Replay::launch(std::span<TaskRecord* const> tasks, TaskRecorder* recorder) {
  begin();
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
    Datum& datum = *access->datum;
    if (writes(use.effect)) datum.note_written();
    if (use.opens) {
      instances_[use.segment] =
          use.effect == Effect::overwrite ? &datum.fresh() : &datum.instance();
    }
    access->instance = instances_[use.segment];
    access->has_instance = true;
    if (use.in_parts) {
      access->is_special = true;
    } else {
      if (enters(use)) ++there;
      // Parts of the datum are used before the graph.
      access->is_special = borders_[use.span].access.is_special;
    }
    ++access;
  }
  if (has_parts_) [[unlikely]]
    there += enter_parts(node);
  task.belonging_.replay = this;
  task.node_ = node;
  tasks_[node] = &task;
  return there;
}

// Enters the instance at the beginning of a span. Returns true if the task need not wait for that.
[[gnu::always_inline]] inline bool Replay::enters(const GraphUse& use) {
  Border& border = borders_[use.span];
  if (use.enters) {
    Instance& instance = *instances_[use.segment];
    if (plan_.spans()[use.span].is_taken) instance.prepare_taking();
    border.access.instance = &instance;
    border.was_open = instance.enter(border.access);
    core_.engine().preemption_point();
  }
  return use.is_first && border.was_open;
}

[[gnu::noinline]] std::uint32_t Replay::enter_parts(std::uint32_t node) {
  std::uint32_t there = 0;
  for (const GraphUse& use : plan_.part_uses(node)) there += enters(use) ? 1 : 0;
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
// have ended. Joins have no task, and end at once.
void Replay::release(std::uint32_t node, std::uint32_t count) {
  Core& core = core_;
  if (counts_[node].fetch_sub(count, std::memory_order_acq_rel) == count) {
    if (node < plan_.tasks().size()) {
      // An expected task also waits for arrived().
      plan_.tasks()[node].is_expected ? core.unblock(*tasks_[node], 1) : core.ready(*tasks_[node]);
    } else {
      for (const std::uint32_t next : plan_.successors(node)) release(next, 1);
    }
  }
  core.engine().preemption_point();
}

void Replay::complete(std::uint32_t node, AccessList& let_in) {
  const std::span<const std::uint32_t> successors = plan_.successors(node);
  close(plan_.uses(node), let_in);
  if (has_parts_) [[unlikely]]
    close(plan_.part_uses(node), let_in);
  for (const std::uint32_t next : successors) release(next, 1);
  if (successors.empty()) one_is_over();
}

void Replay::close(std::span<const GraphUse> uses, AccessList& let_in) {
  for (const GraphUse& use : uses) {
    if (!use.is_last) continue;
    const bool is_alone = plan_.spans()[use.span].last_uses == 1;
    if (!is_alone && closing_[use.span].fetch_sub(1, std::memory_order_acq_rel) != 1) continue;
    Access& border = borders_[use.span].access;
    Instance* const instance = border.instance;
    if (instance->leave(border, let_in)) delete instance;
    core_.engine().preemption_point();
  }
}

void Replay::one_is_over() {
  if (ends_.fetch_sub(1, std::memory_order_acq_rel) == 1) plan_.give_back(*this);
}

}  // namespace roam::flow
