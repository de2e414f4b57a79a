// SPDX-License-Identifier: Apache-2.0
#include "roam/offload/offloader.hpp"

#include <cstdio>
#include <optional>
#include <utility>

#include "machine_groups.hpp"
#include "roam/core/option_group.hpp"
#include "roam/offload/strategy.hpp"
#include "roam/trace/record_options.hpp"
#include "roam/trace/run_trace.hpp"
#include "steps.hpp"

namespace roam::offload {

namespace {

std::string origin_of(const Options& options) {
  const std::string origin = options.origin("offload");
  return origin == "default" ? "--roam-offload" : origin;
}

bool offloads(Runtime& rank) {
  return rank.messenger().size_with_helpers() > 1 &&
         rank.options().of<OffloadOptions>().strategy.name != "none";
}

bool is_traced(const Runtime& rank) {
  return !rank.options().of<trace::RecordOptions>().trace.empty();
}

/// Returns nullptr if nothing is offloaded. Only rank 0 has the strategy itself.
std::unique_ptr<Steps> make_steps(Runtime& rank, HomeTasks& tasks, Guests& guests,
                                  TaskRequests& requests) {
  if (!offloads(rank)) return nullptr;
  DecidingRanks::MakeStrategy make;
  if (rank.rank() == 0) {
    make = [&rank](std::int32_t ranks) {
      const Options& options = rank.options();
      return make_strategy(options.of<OffloadOptions>().strategy, ranks, origin_of(options));
    };
  }
  const std::optional<Machine>& machine = rank.options().simulate;
  return std::make_unique<Steps>(
      rank.messenger(), tasks, guests, requests, std::move(make), is_traced(rank),
      machine && rank.rank() == 0 ? groups_of(*machine) : MachineGroups());
}

std::unique_ptr<RankPart> make_offloader(Runtime& rank) {
  return std::make_unique<Offloader>(rank);
}

const RankPartRegistrar offloader{{.name = "offload", .make = make_offloader}};

const core::OptionGroup<OffloadOptions> offload_options(
    {"Offloading"}, [](core::OptionGroup<OffloadOptions>& group) {
      group
          .plugin("offload", &OffloadOptions::strategy,
                  "Strategy that decides how many offloadable tasks each rank computes for others, "
                  "and its parameters, or ./LIBRARY.so that brings one")
          .accepts(strategy_names, plugin::help_of<StrategyKind>)
          .equal_on_all_ranks()
          .verify = [](const void* values, const std::string& origin) {
        (void)make_strategy(static_cast<const OffloadOptions*>(values)->strategy, 2, origin);
      };
      group.number("offload-keep", "N", &OffloadOptions::keep_per_worker, {1, 1000},
                   "Tasks per worker that are never offloaded, so that none runs out of work");
      group.flag("offload-recompute", &OffloadOptions::recompute,
                 "Compute offloaded tasks whose results are late on their own rank as well, where "
                 "it has nothing else to do");
      group.bytes(
          "offload-guest-memory", &OffloadOptions::guest_memory_bytes,
          {64 << 10, std::int64_t{1} << 40},
          "Memory for other ranks' tasks that wait here, and their results; those past it are "
          "sent back");
      group.flag("offload-check-buffers", &OffloadOptions::check_buffers,
                 "Find out whether a program in C or Fortran changes or frees the buffers of tasks "
                 "that are not complete; costs two checksums of each buffer or more");
    });

}  // namespace

Offloader::Offloader(Runtime& rank)
    : rank_(rank),
      tasks_(rank.messenger(), rank.options().of<OffloadOptions>(), offloads(rank),
             is_traced(rank)),
      guests_(rank.messenger(), rank.options().of<OffloadOptions>().guest_memory_bytes,
              is_traced(rank)),
      requests_(rank.messenger(), tasks_, guests_),
      lost_helpers_(rank.messenger()),
      steps_(make_steps(rank, tasks_, guests_, requests_)) {
  tasks_.report_to(requests_);
  guests_.report_to(requests_);
  tasks_.set_loss_listener(
      [this](Rank helper, std::uint32_t tasks) { lost_helpers_.add_tasks(helper, tasks); });
  if (!rank.is_helper()) {
    rank.messenger().set_loss_listener(
        [this](Rank helper, const char* reason) { on_loss(helper, reason); });
  }
  rank.engine().services().set<Offloader>(this);
  for (auto* function = TaskFunctionRegistrar::first(); function != nullptr;
       function = function->next()) {
    rank.messenger().require_everywhere(function->program_name().symbol);
  }
}

Offloader::~Offloader() = default;

void Offloader::on_loss(Rank helper, const char* reason) {
  lost_helpers_.note(helper, reason);
  if (steps_ != nullptr) steps_->on_lost(helper);
  tasks_.on_lost(helper);
}

// All ranks have told rank 0 of the losses for which they had tasks: nothing of the job is left.
void Offloader::finish(std::function<void()> done) {
  if (rank_.rank() == 0 && !rank_.is_simulated()) {
    for (const std::string& sentence : lost_helpers_.sentences())
      std::fprintf(stderr, "roam: %s\n", sentence.c_str());
  }
  done();
}

void Offloader::next_step() {
  if (steps_ != nullptr) steps_->next_step();
}

void Offloader::waited_for(Rank whom, Duration worker_time) {
  if (steps_ != nullptr) steps_->waited_for(whom, worker_time);
}

void Offloader::waited_outside_for(Rank whom, Duration worker_time) {
  if (steps_ != nullptr) steps_->waited_outside_for(whom, worker_time);
}

std::uint64_t Offloader::steps_decided() const { return steps_ == nullptr ? 0 : steps_->decided(); }

void Offloader::add_statistics(Counters& counters) const {
  const HomeCounts home = tasks_.counts();
  if (home.spawned == 0 && guests_.counts().computed == 0) return;
  const GuestCounts guests = guests_.counts();
  const auto add = [&](const char* name, double value, Counter::Kind kind = Counter::Kind::total) {
    counters.push_back({name, value, kind});
  };
  add("tasks_spawned", static_cast<double>(home.spawned));
  add("tasks_offloaded", static_cast<double>(home.shipped));
  add("tasks_given_on_request", static_cast<double>(home.given));
  add("tasks_returned", static_cast<double>(home.returned));
  add("tasks_sent_back", static_cast<double>(home.sent_back));
  add("tasks_recomputed", static_cast<double>(home.recomputed));
  add("late_results", static_cast<double>(home.late));
  add("emergencies", static_cast<double>(home.emergencies));
  if (home.lost > 0) add("tasks_of_lost_helpers", static_cast<double>(home.lost));
  const GroupSizes::Counts groups = group_sizes_.counts();
  if (groups.together + groups.apart > 0) {
    add("task_groups_together", static_cast<double>(groups.together));
    add("task_groups_apart", static_cast<double>(groups.apart));
  }
  add("guest_tasks", static_cast<double>(guests.computed));
  add("guest_seconds", guests.computed_seconds);
  add("most_guest_bytes", static_cast<double>(guests.most_bytes), Counter::Kind::most);
}

std::vector<trace::OffloadStep> Offloader::step_records() const {
  return steps_ == nullptr ? std::vector<trace::OffloadStep>() : steps_->records().steps();
}

void Offloader::add_to_trace(trace::RankTrace& trace) const {
  tasks_.add_trips_to(trace.trips);
  guests_.add_visits_to(trace.trips);
  if (steps_ == nullptr || rank_.rank() != 0) return;
  trace.offload = {to_string(rank_.options().of<OffloadOptions>().strategy), step_records(),
                   steps_->records().left_out()};
  for (const trace::OffloadStep& step : trace.offload.steps) {
    std::string text = "step " + std::to_string(step.step) + ": " + std::to_string(step.offloaded) +
                       " of " + std::to_string(step.tasks) + " tasks offloaded, " +
                       std::to_string(step.emergencies) + " emergencies";
    if (step.critical != no_rank)
      text += "; ranks waited for rank " + std::to_string(step.critical.value());
    trace.notes.push_back({step.time, "offload", std::move(text)});
  }
}

std::vector<std::string> Offloader::stuck_facts() const {
  const std::string away = tasks_.describe_away();
  if (away.empty()) return {};
  return {"offloaded tasks have not come back: " + away};
}

}  // namespace roam::offload
