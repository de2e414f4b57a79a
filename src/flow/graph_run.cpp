// SPDX-License-Identifier: Apache-2.0
#include "flow/graph_run.hpp"

#include <algorithm>
#include <typeinfo>
#include <utility>

#include "flow/replay.hpp"
#include "flow/task_recorder.hpp"
#include "roam/flow/detail/graph.hpp"

namespace roam::flow {

namespace {

// A graph whose structure has changed more often than this for each replay gets no plan any more.
constexpr std::uint64_t differences_per_replay = 8;

// Values that are accumulated in the order of the program, uses of versions that are not the
// newest, and parts without elements have to be tracked.
bool can_replay(const Access& access) {
  return access.effect != Effect::accumulate && !access.has_instance &&
         !(is_part(access.effect) && access.use->has_none);
}

// Whether a task, which has as many accesses as the plan's, uses another part with one of them.
[[gnu::noinline]] bool has_other_parts(const GraphPlan& plan, const GraphTask& expected,
                                       std::span<const Access> accesses) {
  const GraphUse* use = plan.uses().data() + expected.first_use;
  for (const Access& access : accesses) {
    if (is_part(access.effect) && access.effect == use->effect) {
      const GraphRange& range = plan.ranges()[use->span];
      const PartUse& part = *access.use;
      if (part.begin != range.begin || part.end != range.end || part.has_none) return true;
    }
    ++use;
  }
  return false;
}

}  // namespace

Graph& Graphs::find(std::string_view name) {
  const auto place = graphs_.find(name);
  if (place != graphs_.end()) return place->second;
  return graphs_.emplace(std::string(name), Graph()).first->second;
}

GraphRun::GraphRun(Scope& scope, std::string_view name)
    : scope_(scope),
      graph_(scope.core().graphs().find(name)),
      stamp_(scope.core().graphs().next_stamp()) {
  if (graph_.differences > differences_per_replay * (graph_.replays + 1)) {
    scope.core().graph_counts().fallbacks.fetch_add(1, std::memory_order_relaxed);
    state_ = State::tracks;
  } else if (graph_.plan != nullptr) {
    withheld_.swap(graph_.withheld);
    withheld_.clear();
    state_ = State::compares;
  } else {
    is_noted_ = true;
  }
}

GraphRun::~GraphRun() {
  if (state_ == State::compares && withheld_.size() < graph_.plan->tasks().size()) {
    differs();
  } else if (state_ == State::compares) {
    launch();
    ++graph_.replays;
    scope_.core().graph_counts().replays.fetch_add(1, std::memory_order_relaxed);
  }
  if (is_noted_) make_plan();
  withheld_.swap(graph_.withheld);
  for (Datum* const datum : kept_) Datum::destroy(*datum);
}

bool GraphRun::withholds(TaskRecord& task, bool is_expected) {
  if (state_ == State::compares) {
    if (matches(task, is_expected)) {
      withheld_.push_back(&task);
      return true;
    }
    differs();
  }
  if (state_ == State::records) note(task, is_expected);
  return false;
}

// --- comparing ---

// Whether a datum can be the one that appears with this use.
inline bool GraphRun::appears(const Datum& datum, const GraphUse& use, std::uint32_t known) const {
  const bool can_be_used =
      datum.is_written() || !use.was_written || use.effect == Effect::overwrite;
  return !is_known(datum, known) && can_be_used && &datum.scope() == &scope_;
}

bool GraphRun::matches(TaskRecord& task, bool is_expected) {
  const GraphPlan& plan = *graph_.plan;
  const std::span<const GraphTask> tasks = plan.tasks();
  if (withheld_.size() == tasks.size()) return false;
  const GraphTask& expected = tasks[withheld_.size()];
  if (expected.type != &typeid(task) || expected.use_count != task.access_count_ ||
      expected.is_expected != is_expected)
    return false;
  if (plan.has_parts() && has_other_parts(plan, expected, task.accesses())) [[unlikely]]
    return false;
  const GraphUse* use = plan.uses().data() + expected.first_use;
  std::uint32_t known = data_;
  Access* const first = task.first_access();
  Access* const end = first + expected.use_count;
  Access* access = first;
  for (; access != end; ++access, ++use) {
    if (access->has_instance || access->effect != use->effect) break;
    Datum& datum = *access->datum;
    if (!use->appears) {
      if (datum.graph_place() != use->datum || datum.graph_stamp() != stamp_) break;
    } else {
      if (!appears(datum, *use, known)) break;
      datum.set_graph_place(stamp_, known++);
    }
  }
  if (access != end) [[unlikely]] {
    forget_since({first, access});
    return false;
  }
  data_ = known;
  return true;
}

// Takes back that data have appeared, with a task that differs after all.
void GraphRun::forget_since(std::span<const Access> accesses) const {
  for (const Access& access : accesses) {
    Datum& datum = *access.datum;
    if (datum.graph_stamp() == stamp_ && datum.graph_place() >= data_) datum.set_graph_place(0, 0);
  }
}

void GraphRun::launch() {
  Core& core = scope_.core();
  core.graph_counts().tasks.fetch_add(withheld_.size(), std::memory_order_relaxed);
  core.launch(graph_.plan->take(core), withheld_);
}

// Issues the tasks that have been withheld, which come before the one that differs.
void GraphRun::differs() {
  const GraphPlan& plan = *graph_.plan;
  scope_.core().graph_counts().fallbacks.fetch_add(1, std::memory_order_relaxed);
  const std::size_t count = withheld_.size();
  if (plan.is_cut() && count == plan.tasks().size()) {
    state_ = State::tracks;
    return launch();
  }
  ++graph_.differences;
  state_ = State::records;
  is_noted_ = true;
  const std::size_t uses =
      count == plan.tasks().size() ? plan.uses().size() : plan.tasks()[count].first_use;
  tasks_.assign(plan.tasks().begin(), plan.tasks().begin() + static_cast<std::ptrdiff_t>(count));
  uses_.assign(plan.uses().begin(), plan.uses().begin() + static_cast<std::ptrdiff_t>(uses));
  ranges_ = plan.ranges();
  admitted_tasks_ = count;
  for (std::size_t k = 0; k < count; ++k)
    scope_.core().track(*withheld_[k], plan.tasks()[k].is_expected);
}

// --- recording ---

void GraphRun::note(TaskRecord& task, bool is_expected) {
  const std::span<Access> accesses = task.accesses();
  const bool can_be = std::all_of(accesses.begin(), accesses.end(), can_replay);
  if (tasks_.size() > admitted_tasks_ ||
      !can_be) {  // the last task was refused, or this one cannot be replayed
    is_cut_ = true;
    state_ = State::tracks;
    return;
  }
  tasks_.push_back({&typeid(task), static_cast<std::uint32_t>(uses_.size()),
                    static_cast<std::uint32_t>(accesses.size()), is_expected});
  for (const Access& access : accesses) {
    Datum& datum = *access.datum;
    GraphUse use;
    use.effect = access.effect;
    use.appears = !is_known(datum, data_);
    use.was_written = datum.is_written();
    if (use.appears) datum.set_graph_place(stamp_, data_++);
    use.datum = datum.graph_place();
    if (is_part(use.effect)) {
      use.span = static_cast<std::uint32_t>(ranges_.size());
      ranges_.push_back({access.use->begin, access.use->end});
    }
    uses_.push_back(use);
  }
}

void GraphRun::admitted() {
  if (state_ == State::records) admitted_tasks_ = tasks_.size();
}

void GraphRun::make_plan() {
  if (tasks_.size() > admitted_tasks_) {
    uses_.resize(tasks_.back().first_use);
    tasks_.pop_back();
  }
  std::erase_if(graph_.old, [](const auto& plan) { return !plan->is_in_use(); });
  if (graph_.plan != nullptr) graph_.old.push_back(std::move(graph_.plan));
  graph_.plan =
      std::make_unique<GraphPlan>(std::move(tasks_), std::move(uses_), std::move(ranges_), is_cut_);
}

// --- the call ---

namespace detail {

// Tasks that run where they are issued need no graph. Children of tasks, and graphs inside another
// graph, are tracked; those that the back end orders are not replayed either.
GraphCall::GraphCall(Scope& scope, std::string_view name) : scope_(scope) {
  Core& core = scope.core();
  if (core.runs_at_once()) return;
  if (scope.task() != nullptr || scope.graph() != nullptr || core.is_ordered(scope)) {
    core.graph_counts().fallbacks.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  run_ = std::make_unique<GraphRun>(scope, name);
  scope.set_graph(run_.get());
}

GraphCall::~GraphCall() {
  if (run_ == nullptr) return;
  run_.reset();
  scope_.set_graph(nullptr);
}

}  // namespace detail

}  // namespace roam::flow
