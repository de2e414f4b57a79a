// SPDX-License-Identifier: Apache-2.0
#include "flow/flow_part.hpp"

#include <algorithm>
#include <utility>

#include "flow/element_group.hpp"
#include "roam/balance/detail/phases.hpp"
#include "roam/core/option_group.hpp"
#include "roam/core/plugin/registrar.hpp"
#include "roam/flow/flow.hpp"
#include "roam/mobile/detail/added_calls.hpp"
#include "roam/trace/run_trace.hpp"

namespace roam::flow {

namespace {

std::string origin_of(const Options& options) {
  const std::string origin = options.origin("flow-backend");
  return origin == "default" ? "--roam-flow-backend" : origin;
}

std::unique_ptr<RankPart> make_part(Runtime& rank) { return std::make_unique<FlowPart>(rank); }

const RankPartRegistrar flow_of_rank{{.name = "flow", .make = make_part}};

const core::OptionGroup<FlowOptions> flow_options(
    {"Tasks"}, [](core::OptionGroup<FlowOptions>& group) {
      group
          .text("flow-backend", "NAME", &FlowOptions::backend, "the name of a back end",
                "What runs the tasks of flow programs")
          .accepts(backend_names, plugin::help_of<BackendKind>)
          .equal_on_all_ranks()
          .verify = [](const void* values, const std::string& origin) {
        (void)find_backend(static_cast<const FlowOptions*>(values)->backend, origin);
      };
      group.number("flow-window", "N", &FlowOptions::window, {1, 1'000'000'000},
                   "Unfinished tasks per rank at which issuing one more runs others first");
      group.bytes("flow-window-bytes", &FlowOptions::window_bytes, {1, std::int64_t{1} << 60},
                  "Memory per rank that only unfinished tasks hold, at which issuing one more runs "
                  "others first");
      group.bytes("flow-copy-bytes", &FlowOptions::copy_bytes, {0, std::int64_t{1} << 60},
                  "Memory per rank for copies of data that tasks read while others modify them");
      group.number(
          "flow-record", "N", &FlowOptions::record, {0, 10'000'000},
          "Tasks of each rank, the first, that --roam-trace has with what they waited for");
    });

}  // namespace

namespace {

std::unique_ptr<TaskRecorder> make_recorder(const Options& options) {
  const std::uint32_t most = options.of<FlowOptions>().record;
  if (most == 0) return nullptr;
  if (options.trace.empty()) {
    throw ConfigError(
        "--roam-flow-record: tasks are recorded in the file of --roam-trace, which is not given");
  }
  return std::make_unique<TaskRecorder>(most);
}

}  // namespace

FlowPart::FlowPart(Runtime& rank)
    : rank_(rank),
      kind_(find_backend(rank.options().of<FlowOptions>().backend, origin_of(rank.options()))),
      recorder_(make_recorder(rank.options())),
      exchange_(rank.messenger()),
      distributions_(rank.messenger()),
      element_tasks_(rank),
      publications_(rank.messenger()) {
  rank.engine().services().set<FlowPart>(this);
}

// Tasks of a back end with threads of its own may run until they are taken back.
FlowPart::~FlowPart() {
  Backend* backend = nullptr;
  {
    const core::LockGuard guard(lock_);
    backend = backend_.get();
  }
  while (backend != nullptr) {
    TaskRecord* const task = backend->take_back();
    if (task == nullptr) break;
    delete task;
  }
  rank_.engine().services().set<FlowPart>(nullptr);
}

Core& FlowPart::begin_flow(bool runs_at_once) {
  const core::LockGuard guard(lock_);
  if (!runs_at_once && backend_ == nullptr) backend_ = kind_.create(rank_);
  for (const auto& core : cores_) {
    if (core->runs_at_once() != runs_at_once || !core->is_over()) continue;
    for (const auto& one : core->distributions()) end_groups(rank_, *one);
    core->begin_again();
    distributions_.forget_unused();
    return *core;
  }
  cores_.push_back(std::make_unique<Core>(rank_.engine(), runs_at_once ? nullptr : backend_.get(),
                                          rank_.options().of<FlowOptions>(), recorder_.get()));
  return *cores_.back();
}

FlowCounts FlowPart::counts() const {
  const core::LockGuard guard(lock_);
  FlowCounts sum;
  for (const auto& core : cores_) {
    const FlowCounts one = core->counts();
    sum.tasks += one.tasks;
    sum.window_stalls += one.window_stalls;
    sum.byte_stalls += one.byte_stalls;
    sum.run_inside += one.run_inside;
    sum.overruns += one.overruns;
    sum.copies += one.copies;
    sum.copied_bytes += one.copied_bytes;
    sum.copies_refused += one.copies_refused;
    sum.replayed_tasks += one.replayed_tasks;
    sum.graph_replays += one.graph_replays;
    sum.graph_fallbacks += one.graph_fallbacks;
  }
  return sum;
}

// Nobody awaits tasks that cannot run any more; without this report they would vanish silently.
void FlowPart::finish(std::function<void()> done) {
  std::string facts;
  std::uint64_t left = 0;
  {
    const core::LockGuard guard(lock_);
    for (const auto& core : cores_) left += core->unfinished();
  }
  if (left > 0) {
    for (const std::string& fact : stuck_facts()) facts += "\n  " + fact;
    rank_.engine().report_error("the program has ended, and tasks of its flows cannot run:" +
                                facts);
  }
  done();
}

void FlowPart::add_statistics(Counters& counters) const {
  const FlowCounts sum = counts();
  if (sum.tasks == 0) return;
  counters.push_back({"flow_tasks", static_cast<double>(sum.tasks), Counter::Kind::total});
  counters.push_back(
      {"flow_window_stalls", static_cast<double>(sum.window_stalls), Counter::Kind::total});
  counters.push_back(
      {"flow_window_byte_stalls", static_cast<double>(sum.byte_stalls), Counter::Kind::total});
  counters.push_back(
      {"flow_window_overruns", static_cast<double>(sum.overruns), Counter::Kind::total});
  if (sum.copies + sum.copies_refused > 0) {
    counters.push_back({"flow_copies", static_cast<double>(sum.copies), Counter::Kind::total});
    counters.push_back(
        {"flow_copied_bytes", static_cast<double>(sum.copied_bytes), Counter::Kind::total});
    counters.push_back(
        {"flow_copies_refused", static_cast<double>(sum.copies_refused), Counter::Kind::total});
  }
  if (const ElementTasks::Counts elsewhere = element_tasks_.counts(); elsewhere.sent > 0) {
    counters.push_back(
        {"flow_tasks_elsewhere", static_cast<double>(elsewhere.sent), Counter::Kind::total});
    counters.push_back(
        {"flow_values_fetched", static_cast<double>(elsewhere.fetched), Counter::Kind::total});
  }
  if (sum.graph_replays + sum.graph_fallbacks == 0) return;
  counters.push_back(
      {"flow_replayed_tasks", static_cast<double>(sum.replayed_tasks), Counter::Kind::total});
  counters.push_back(
      {"flow_graph_replays", static_cast<double>(sum.graph_replays), Counter::Kind::total});
  counters.push_back(
      {"flow_graph_fallbacks", static_cast<double>(sum.graph_fallbacks), Counter::Kind::total});
}

void FlowPart::add_to_trace(trace::RankTrace& trace) const {
  if (recorder_ != nullptr) trace.flow = recorder_->trace();
}

std::vector<std::string> FlowPart::stuck_facts() const {
  constexpr std::size_t most = 4;  // enough to recognise the problem
  std::uint64_t left = 0;
  std::size_t described = 0;
  std::vector<std::string> facts;
  const core::LockGuard guard(lock_);
  for (const auto& core : cores_) {
    left += core->unfinished();
    if (core->unfinished() == 0) continue;
    for (std::string& awaited : core->awaited_elsewhere(most - std::min(most, facts.size())))
      facts.push_back("a flow waits for " + std::move(awaited));
    if (described >= most) continue;
    for (std::string& wait : core->waits_in_words(most - described)) {
      facts.push_back(std::move(wait));
      ++described;
    }
  }
  for (std::string& unread : publications_.unread(most)) facts.push_back(std::move(unread));
  if (left == 0) return facts;
  facts.push_back(std::to_string(left) + " tasks of flows wait for that and for each other" +
                  (exchange_.expected() > 0 ? ": do all ranks issue the same operations?" : ""));
  return facts;
}

std::shared_ptr<Distribution> FlowPart::distribute(Core& core, const mobile::CollectionShape& shape,
                                                   const std::shared_ptr<const IndexSet>& set,
                                                   std::uint32_t number) {
  for (const auto& one : core.distributions()) {
    if (one->is_of(shape, set)) return one;
  }
  const bool is_measured =
      !core.runs_at_once() && (rank_.phases().has_strategy() || !rank_.options().lb_data.empty());
  auto made = std::make_shared<Distribution>(
      distributions_, DistributionName{core.id(), number}, shape, set,
      core.runs_at_once() ? Rank(0) : rank_.rank(), is_measured);
  made->set_counts_reads(is_measured && mobile::counts_calls(rank_.engine()));
  // What has strategies as well (auto) leaves elements where they are within a phase: tasks on
  // other ranks need messages, of which policies know nothing.
  if (!core.runs_at_once() && kind_.runs_on_workers && rank_.size() > 1 &&
      rank_.balancer().has_policy() && !rank_.phases().has_strategy()) {
    made->set_moves_within_phases();
    core.set_kept(element_tasks_.kept());
    distributions_.keep(made);
  }
  core.add(made);
  return made;
}

std::shared_ptr<CollectionRecord> Flow::make_collection(const ElementType& type,
                                                        mobile::CollectionShape shape,
                                                        const std::shared_ptr<const IndexSet>& set,
                                                        const SourceLine& where) {
  Core& core = scope().core();
  if (scope().task() != nullptr) {
    throw Error("a collection (" + to_string(where) +
                ") is made by the main programs of all ranks, not by a task");
  }
  FlowPart& own = FlowPart::of(core.engine());
  // If tasks run at once, each rank runs the whole program.
  const bool is_whole = core.runs_at_once();
  if (!is_whole && core.id() == 0) core.set_id(own.next_id());
  shape.ranks = is_whole ? 1 : own.rank().size();
  shape.check();
  const auto number = static_cast<std::uint32_t>(core.next_operation());
  return std::make_shared<CollectionRecord>(scope(), own.exchange(),
                                            own.distribute(core, shape, set, number), number, type,
                                            DatumLabel{nullptr, type.name, where, -1});
}

Flow::Flow(Runtime& rank) : EachCalls(FlowPart::of(rank).begin_flow().root()) {}
Flow::Flow(Runtime& rank, AtOnce /*serially*/)
    : EachCalls(FlowPart::of(rank).begin_flow_at_once().root()) {}

Flow::~Flow() {
  if (scope().task() != nullptr) return;
  end_groups();
  scope().core().leave();
}

EndOfTasks::~EndOfTasks() {
  if (is_listed_) core_.engine().waits().remove(&done_);
}

bool EndOfTasks::await_suspend(std::coroutine_handle<> handle) {
  done_.capture(handle);
  core_.engine().waits().add(&done_);
  is_listed_ = true;
  return core_.wait_for_all(done_);
}

void EndOfTasks::await_resume() {
  if (std::exchange(is_listed_, false)) core_.engine().waits().remove(&done_);
}

}  // namespace roam::flow
