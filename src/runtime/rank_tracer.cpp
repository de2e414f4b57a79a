// SPDX-License-Identifier: Apache-2.0
#include "rank_tracer.hpp"

#include <algorithm>

#include "rank_figures.hpp"
#include "roam/am/detail/system_handlers.hpp"
#include "roam/balance/detail/balancer.hpp"
#include "roam/balance/detail/phases.hpp"
#include "roam/runtime/runtime.hpp"
#include "roam/trace/detail/chrome_trace.hpp"
#include "runtime/last_records.hpp"

namespace roam {

namespace {

const char* outcome_name(balance::Decision::Outcome outcome) {
  switch (outcome) {
    case balance::Decision::Outcome::under_way:
      return "under way";
    case balance::Decision::Outcome::moved:
      return "moved";
    case balance::Decision::Outcome::refused:
      return "refused";
    case balance::Decision::Outcome::busy:
      return "busy";
  }
  return "";
}

}  // namespace

/// What a rank has recorded, sent to rank 0.
struct RankTracer::OwnTrace {
  static constexpr am::MessageKind kind{"roam.trace", am::Counted::no};
  trace::RankTrace trace;
  static constexpr auto fields(auto& m) { return std::tie(m.trace); }
};

RankTracer::RankTracer(Runtime& runtime)
    : runtime_(runtime), log_(runtime.engine().slot_count()), start_(now()) {
  runtime_.engine().set_observer(this);
  runtime_.messenger().count_by_source();
  runtime_.messenger().bind<&RankTracer::on_trace>(*this);
  runtime_.objects().add_migration_listener([this](const mobile::MigrationOutcome& outcome) {
    if (outcome.moved) migrated(outcome.object, outcome.target, outcome.bytes);
  });
}

void RankTracer::begin_measurement() {
  start_ = now();
  end_ = never;
  traffic_before_ = runtime_.messenger().traffic_by_source();
  traffic_.reset();
  phases_before_ = runtime_.phases().records().size();
  phases_until_.reset();
}

void RankTracer::end_measurement() {
  end_ = now();
  traffic_ = runtime_.messenger().traffic_by_source();
  phases_until_ = runtime_.phases().records().size();
}

Instant RankTracer::now() const { return runtime_.engine().now(); }

void RankTracer::ran(const exec::Context& context, Instant begin, Instant end) {
  if (context.label != nullptr)
    log_.handler(context.slot, context.label, context.subject, begin, end);
}

void RankTracer::migrated(ObjectId object, Rank to, std::uint64_t bytes) {
  log_.migration(now(), object, runtime_.rank(), to, bytes);
}

trace::RankTrace RankTracer::collect() const {
  trace::RankTrace trace;
  const RankStatistics statistics = runtime_.statistics();
  trace.rank = runtime_.rank();
  for (std::uint32_t w = 0; w < statistics.workers.size(); ++w) {
    const WorkerStatistics& worker = statistics.workers[w];
    trace.workers.push_back({w, worker.busy_seconds, worker.idle_seconds, worker.overhead_seconds,
                             worker.handlers_run});
  }
  trace.counters = figures_of(statistics);
  if (runtime_.location().is_known()) {
    trace.host = topology::host_name();
    trace.processors = runtime_.location().processors();
    trace.is_bound = runtime_.location().is_bound();
  }
  log_.add_to(trace);
  runtime_.add_to_trace(trace);
  // Only events within the measurement are written, in its time.
  std::erase_if(trace.events, [&](const auto& e) { return is_outside(e.begin, e.end); });
  std::erase_if(trace.migrations, [&](const auto& m) { return is_outside(m.time, m.time); });
  std::erase_if(trace.notes, [&](const auto& n) { return is_outside(n.time, n.time); });
  std::erase_if(trace.offload.steps, [&](const auto& s) { return is_outside(s.time, s.time); });
  keep_measured(trace.trips);
  for (auto& note : trace.notes) note.time -= start_;
  for (auto& step : trace.offload.steps) step.time -= start_;
  for (auto& event : trace.events) event.begin -= start_, event.end -= start_;
  for (auto& migration : trace.migrations) migration.time -= start_;
  for (auto& task : trace.flow.tasks) {
    if (task.begin != trace::FlowTask::never) task.begin -= start_;
    if (task.end != trace::FlowTask::never) task.end -= start_;
  }
  for (auto& stall : trace.flow.stalls) stall.begin -= start_, stall.end -= start_;
  add_decisions(trace);
  add_traffic(trace);
  add_phases(trace);
  return trace;
}

void RankTracer::keep_measured(trace::OffloadTrips& trips) const {
  std::erase_if(trips.trips, [&](const auto& t) { return is_outside(t.spawned, t.spawned); });
  std::erase_if(trips.visits, [&](const auto& v) { return is_outside(v.arrived, v.ended); });
  for (trace::OffloadTrip& trip : trips.trips) {
    for (Instant* time : {&trip.spawned, &trip.sent, &trip.back, &trip.recomputed, &trip.delivered})
      if (*time != trace::OffloadTrip::never) *time -= start_;
  }
  for (trace::OffloadVisit& visit : trips.visits)
    for (Instant* time : {&visit.arrived, &visit.begun, &visit.ended}) *time -= start_;
}

void RankTracer::add_decisions(trace::RankTrace& trace) const {
  for (const balance::Decision& decision : runtime_.balancer().decisions()) {
    if (is_outside(decision.when, decision.when)) continue;
    trace.decisions.push_back(
        {seconds(decision.when - start_), runtime_.balancer().policy_name(), decision.from,
         decision.to, decision.object, decision.load_seconds, decision.bytes, decision.gain_seconds,
         decision.cost_seconds, decision.stay_seconds, decision.move_seconds,
         outcome_name(decision.outcome),
         std::string(decision.reason) + (decision.note.empty() ? "" : ": " + decision.note)});
  }
}

// Both lists are sorted by rank, and every rank in the earlier list is also in the later one.
void RankTracer::add_traffic(trace::RankTrace& trace) const {
  auto before = traffic_before_.begin();
  for (const am::SourceTraffic& all :
       traffic_ ? *traffic_ : runtime_.messenger().traffic_by_source()) {
    trace::TrafficFrom part{all.source, all.messages, all.bytes};
    if (before != traffic_before_.end() && before->source == all.source) {
      part.messages -= before->messages;
      part.bytes -= before->bytes;
      ++before;
    }
    // In virtual time a rank may send to itself. What helpers send is seen in offloaded tasks.
    const bool is_between_ranks =
        all.source != runtime_.rank() && all.source.value() < runtime_.size();
    if (part.messages > 0 && is_between_ranks) trace.traffic.push_back(part);
  }
}

// Adds the phases that ended within the measurement. The first may have begun before it, with the
// job or during the program's set-up: only the part within the measurement counts.
void RankTracer::add_phases(trace::RankTrace& trace) const {
  const auto& records = runtime_.phases().records();
  const std::size_t until = phases_until_.value_or(records.size());
  for (std::size_t i = phases_before_; i < until; ++i) {
    const auto& [end, report] = records[i];
    trace.phases.push_back({.time_seconds = seconds(end - start_),
                            .seconds = std::min(report.seconds, seconds(end - start_)),
                            .objects = report.objects,
                            .max_load_seconds = report.max_load_seconds,
                            .mean_load_seconds = report.mean_load_seconds,
                            .expected_max_seconds = report.expected_max_seconds,
                            .expected_mean_seconds = report.expected_mean_seconds,
                            .predicted_max_seconds = report.predicted_max_seconds,
                            .moved_objects = report.moved_objects,
                            .gain_seconds = report.gain_seconds,
                            .cost_seconds = report.cost_seconds,
                            .decision_seconds = report.decision_seconds,
                            .phase = report.phase,
                            .gain_phases = report.gain_phases});
  }
}

void RankTracer::finish(std::function<void()> done) {
  if (runtime_.rank() != 0) {
    runtime_.messenger().post(0, OwnTrace{collect()});
    done();
    return;
  }
  done_ = std::move(done);
  take(collect());
}

void RankTracer::on_trace(OwnTrace&& of_rank) { take(std::move(of_rank.trace)); }

void RankTracer::take(trace::RankTrace&& trace) {
  traces_.push_back(std::move(trace));
  if (traces_.size() < static_cast<std::size_t>(runtime_.size()) || !done_) return;
  try {
    write();
  } catch (const std::exception& error) {
    runtime_.abort(std::string("the trace could not be written: ") + error.what());
  }
  done_();
}

trace::RunTrace RankTracer::run_without_ranks() const {
  trace::RunTrace run;
  const Options& options = runtime_.options();
  run.program = options.program;
  run.transport = options.transport;
  run.balancer = options.balancer.name;
  run.ranks = runtime_.size();
  run.helpers = options.helpers;
  run.workers_per_rank = runtime_.workers();
  run.simulated = runtime_.is_simulated();
  if (options.simulate && options.simulate->network.size() > 1) {
    for (const NetworkLevel& level : options.simulate->network)
      run.levels.push_back({level.name, level.group_ranks, level.parents});
  }
  run.makespan_seconds = runtime_.statistics().elapsed_seconds;
  return run;
}

void RankTracer::write() {
  trace::RunTrace run = run_without_ranks();
  std::sort(traces_.begin(), traces_.end(),
            [](const auto& a, const auto& b) { return a.rank < b.rank; });
  run.rank_traces = std::move(traces_);
  trace::write_chrome_trace(runtime_.options().trace, run);
  is_written_.store(true);
}

void RankTracer::leave_records(LastRecords& records, bool is_at_rest) {
  if (is_written_.load()) return;
  trace::RunTrace run = run_without_ranks();
  run.rank_traces.push_back(collect());
  // A handler that still runs has not been counted yet.
  for (trace::WorkerSummary& worker : run.rank_traces.back().workers) {
    if (is_at_rest || !runtime_.engine().is_busy(worker.worker)) continue;
    const double counted = worker.busy_seconds + worker.idle_seconds + worker.overhead_seconds;
    worker.busy_seconds += std::max(run.makespan_seconds - counted, 0.0);
  }
  records.add(runtime_.options().trace, std::move(run));
}

namespace {

std::unique_ptr<RankPart> make_tracer(Runtime& rank) {
  if (rank.options().trace.empty()) return nullptr;
  return std::make_unique<RankTracer>(rank);
}

const RankPartRegistrar tracer{{.name = "trace", .make = make_tracer}};

}  // namespace

}  // namespace roam
