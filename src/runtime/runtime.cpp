// SPDX-License-Identifier: Apache-2.0
#include "roam/runtime/runtime.hpp"
#include "roam/core/detail/rank_tree.hpp"

#include <cstdio>
#include <fstream>
#include <memory>
#include <mutex>
#include <utility>

#include "main_program.hpp"
#include "options_to_compare.hpp"
#include "rank_figures.hpp"
#include "rank_parts.hpp"
#include "roam/am/detail/system_handlers.hpp"
#include "roam/balance/detail/balancer.hpp"
#include "roam/balance/detail/phases.hpp"
#include "roam/core/error.hpp"
#include "roam/exec/detail/stealing_scheduler.hpp"
#include "roam/exec/schedulers.hpp"
#include "roam/topology/detail/nearest.hpp"
#include "runtime/last_records.hpp"

namespace roam {

namespace {

/// The scheduler of a rank; nullptr: the engine's own. If the workers are bound and some are nearer
/// to each other than others, they steal from these first: what a near worker has ready is more
/// likely to be in a cache that both share. Blocks as topology::LocalPlaces does.
std::unique_ptr<exec::Scheduler> scheduler_for(const Options& options, const exec::Engine& engine,
                                               const topology::RankLocation& location) {
  auto scheduler = exec::make_scheduler(options.scheduler, engine.workers());
  if (scheduler != nullptr || !location.is_bound() || engine.workers() < 3) return scheduler;
  exec::Victims victims = topology::nearest_first(location.places_of_workers());
  if (victims.size() != engine.workers()) return nullptr;
  return std::make_unique<exec::StealingScheduler>(engine.workers(), engine.options().seed,
                                                   std::move(victims));
}

exec::EngineOptions engine_options(const Options& options, const transport::Endpoint& endpoint) {
  exec::EngineOptions result;
  // In progress mode `polling` there is one worker, the caller's thread.
  result.workers =
      options.workers == 0 || options.progress_mode == ProgressMode::polling ? 1 : options.workers;
  result.seed =
      options.seed * 0x9e3779b97f4a7c15ULL + static_cast<std::uint64_t>(endpoint.rank().value());
  result.progress = options.progress_mode;
  if (options.simulate) {
    result.handler_overhead = from_seconds(options.simulate->handler_overhead_seconds);
    result.speed = options.simulate->speed(endpoint.rank());
    result.noise = options.simulate->noise;
    result.measured_time_factor = options.simulate->measured_time_factor;
  }
  return result;
}

std::string stuck_report(const mobile::StuckFacts& facts, const std::string& graph) {
  const std::string text = mobile::describe(facts);
  if (graph.empty()) return text + "(--roam-stuck-graph FILE draws this as a graph)\n";
  std::ofstream file(graph);
  file << mobile::draw(facts);
  file.close();
  return text + (file ? "(drawn in " : "(could not be drawn in ") + graph + ")\n";
}

}  // namespace

void MainProgram::run(exec::Context& context) {
  context.execution = this;
  context.label = "main program";
  task_ = program_(runtime_);
  task_.start(this);
}

void MainProgram::finish(exec::Context&) {
  try {
    task_.result();
  } catch (const JobAborted&) {
    return;
  } catch (...) {
    runtime_.engine().report_error("rank " + std::to_string(runtime_.rank().value()) +
                                   ", main program: " + words_of(std::current_exception()));
    return;
  }
  task_ = {};
  runtime_.quiescence_detector().when_finished(finished_);
}

// Never inlined, so that coroutines may call it.
[[gnu::noinline]] Runtime& here() {
  const exec::Context* const context = exec::detail::current_context;
  Runtime* runtime = context == nullptr ? nullptr : context->engine->services().get<Runtime>();
  if (runtime == nullptr)
    throw Error("roam::here() was called on a thread where no Roam handler or main program runs");
  return *runtime;
}

/// Tells a rank that the job ends now; passed on to the neighbours in the tree of ranks.
struct Runtime::Abort {
  static constexpr am::MessageKind kind{"roam.abort", am::Counted::no, am::Behind::nothing,
                                        am::Reach::helpers};
  std::string report;
  std::int32_t signal = 0;  // signal that has ended the job; 0: none
  static constexpr auto fields(auto& m) { return std::tie(m.report, m.signal); }
};

/// Tells a helper that the job is over for the sender, from which nothing comes any more. All ranks
/// say so: none then sees a helper end that it would take for a lost one.
struct Runtime::JobOver {
  static constexpr am::MessageKind kind{"roam.job_over", am::Counted::no, am::Behind::nothing,
                                        am::Reach::helpers};
};

namespace {

am::MessengerOptions messenger_options(const Options& options) {
  am::MessengerOptions result{options};
  result.helpers = options.helpers;
  return result;
}

}  // namespace

Runtime::Runtime(transport::Endpoint& endpoint, core::Clock& clock, const Options& options,
                 const topology::RankLocation& location)
    : options_(options), location_(location) {
  engine_ = std::make_unique<exec::Engine>(engine_options(options, endpoint), clock);
  if (auto scheduler = scheduler_for(options, *engine_, location)) {
    engine_->set_scheduler(std::move(scheduler));
  }
  messenger_ = std::make_unique<am::Messenger>(endpoint, *engine_, messenger_options(options));
  memory_ = std::make_unique<am::RemoteMemory>(*messenger_);
  collectives_ = std::make_unique<am::Collectives>(*messenger_);
  objects_ = std::make_unique<mobile::ObjectSpace>(*messenger_, options);
  collections_of_objects_ = std::make_unique<mobile::Collections>(*objects_);
  quiescence_ = std::make_unique<mobile::Quiescence>(*messenger_, *objects_);
  messenger_->bind<&Runtime::on_abort>(*this);
  messenger_->bind<&Runtime::on_job_over>(*this);
  engine_->services().set<Runtime>(this);
  engine_->add_used(&messenger_, sizeof messenger_);  // for here().rank()
  engine_->add_poller(messenger_.get());
  engine_->add_idle_poller(quiescence_.get());
  const double speed =
      options.simulate ? options.simulate->speed(endpoint.rank()) : options.speeds.front();
  // Points into the options, which live as long as the rank.
  const auto* const network = options_.simulate ? &options_.simulate->network : nullptr;
  balancer_ = std::make_unique<balance::Balancer>(
      *objects_,
      balance::BalancerOptions{options.balancer, options.load_model, options.phase_length_seconds,
                               speed, options.seed, network, location});
  // A strategy that acts at intervals also acts at the ends of declared phases.
  const PluginChoice at_phases =
      options.phase_length_seconds > 0 ? PluginChoice{"none", {}} : options.balancer;
  phases_ = std::make_unique<balance::Phases>(*balancer_, *objects_, *collectives_, *quiescence_,
                                              at_phases, speed, options.seed, network, location);
  engine_->set_error_handler([this](const std::string& report) { report_error(report); });
  engine_->set_failure_handler([this](const char* during) { report_failure(during); });
  messenger_->set_failure_handler([this](const std::string& report) {
    if (!aborting_.load()) abort("rank " + std::to_string(rank().value()) + ": " + report);
  });
  collectives_->set_failure_handler([this](const std::string& report) { abort(report); });
  quiescence_->set_stuck_handler([this](const mobile::StuckFacts& facts) {
    abort(stuck_report(facts, options_.stuck_graph));
  });
  objects_->add_migration_listener([this](const mobile::MigrationOutcome& outcome) {
    if (!outcome.moved && outcome.is_for_good) refused_for_good(outcome);
  });
  if (is_helper()) balancer_->enable(false);
  parts_ = std::make_unique<RankParts>(*this);
  quiescence_->set_stuck_source(
      [this](mobile::StuckFacts& facts) { parts_->add_stuck_facts(facts); });
  require_equal_options();
  baseline_ = measured_since({});
}

// Options that determine what ranks send to each other must be equal; differences are reported at
// the start (A6).
void Runtime::require_equal_options() {
  for (const OptionToCompare& option : options_to_compare(options_))
    messenger_->require_equal(option.flag, option.value);
}

Runtime::~Runtime() {
  const exec::Scope scope(&engine_->outside_context());
  messenger_->epochs().stop();
  // Queued work may be part of a coroutine's frame, and a frame that is destroyed may queue more.
  engine_->drop_queued();
  main_.reset();
  messenger_->abandon_all();
  engine_->drop_queued();
}

void Runtime::start(Program program, std::function<void()> finished) {
  messenger_->announce_handlers();
  if (is_helper()) {
    stop_ = std::move(finished);
    ranks_that_go_on_ = size();
    return;
  }
  parts_->start();
  main_ =
      std::make_unique<MainProgram>(*this, std::move(program), [this, stop = std::move(finished)] {
        tell_helpers_that_it_is_over();
        parts_->finish(stop);
      });
  engine_->push(main_.get());
}

void Runtime::tell_helpers_that_it_is_over() {
  for (std::int32_t helper = size(); helper < messenger_->size_with_helpers(); ++helper)
    messenger_->post(Rank(helper), JobOver{});
}

void Runtime::on_job_over(const JobOver&) {
  if (!is_helper() || ranks_that_go_on_ == 0) throw MalformedMessage("the job is not over");
  if (--ranks_that_go_on_ == 0) stop_();
}

Task<balance::PhaseReport> Runtime::phase() { return phases_->end_phase(); }

void Runtime::enable_balancing(bool enabled) { balancer_->enable(enabled); }

void Runtime::set_load_model(balance::LoadModel model) {
  balancer_->set_load_model(std::move(model));
}

void Runtime::add_phase_model(std::unique_ptr<balance::PhaseModel> model) {
  balancer_->models().add(std::move(model));
}

void Runtime::compute_if_simulated(Duration duration) {
  if (is_simulated()) engine_->compute(duration);
}

bool Runtime::poll() { return engine_->step(0).kind == exec::StepResult::Kind::ran; }

// The object stays here, so the job continues (M6). Reported once for each class, since it may have
// many objects.
void Runtime::refused_for_good(const mobile::MigrationOutcome& outcome) {
  if (user_refusal_handler_) return user_refusal_handler_(outcome);
  {
    const std::lock_guard guard(measurement_lock_);
    if (!classes_that_stay_.insert(outcome.class_name).second) return;
  }
  std::fprintf(
      stderr,
      "roam: rank %d: object %s of class %s stays here, since rank %d could not take it "
      "in: %s. The balancer does not try it again, and no other object of the class is reported; "
      "see Runtime::on_refused_move.\n",
      rank().value(), to_string(outcome.object).c_str(), std::string(outcome.class_name).c_str(),
      outcome.target.value(), outcome.refusal.c_str());
}

void Runtime::report_error(const std::string& report) {
  if (user_error_handler_) return user_error_handler_(report);
  abort(report);
}

// Called inside the handler of an exception that has left the runtime's own code.
void Runtime::report_failure(const char* during) {
  if (release_reserve_) release_reserve_();
  abort("rank " + std::to_string(rank().value()) + ", " + during + ": " +
        words_of(std::current_exception()));
}

void Runtime::abort(const std::string& report, int signal) {
  if (aborting_.exchange(true)) return;
  if (job_error_handler_) job_error_handler_(report);
  pass_abort_on(report, signal);
  collectives_->abort_all(report);
  engine_->stop();
}

// The message floods the binary tree of ranks, from any rank: each hears of it once.
void Runtime::pass_abort_on(const std::string& report, int signal) {
  const core::RankTree tree(rank(), size());
  std::vector<Rank> neighbours(tree.children().begin(), tree.children().end());
  if (is_helper()) {
    neighbours.emplace_back(0);
  } else if (const auto parent = tree.parent()) {
    neighbours.push_back(*parent);
  } else {
    for (std::int32_t helper = size(); helper < messenger_->size_with_helpers(); ++helper)
      neighbours.emplace_back(helper);
  }
  for (const Rank neighbour : neighbours) messenger_->post(neighbour, Abort{report, signal});
}

void Runtime::on_abort(const Abort& abort) {
  if (aborting_.exchange(true)) return;
  if (on_remote_abort_) on_remote_abort_(abort.report, abort.signal);
  pass_abort_on(abort.report, abort.signal);
  collectives_->abort_all(abort.report);
  engine_->stop();
}

void Runtime::leave_records(LastRecords& records, bool is_at_rest) {
  if (!has_left_records_.exchange(true)) parts_->leave_records(records, is_at_rest);
}

void Runtime::add_to_trace(trace::RankTrace& trace) const { parts_->add_to_trace(trace); }

RankStatistics Runtime::statistics() const {
  const std::lock_guard guard(measurement_lock_);
  return final_ ? *final_ : measured_since(baseline_);
}

RankStatistics Runtime::measured_since(const RankStatistics& baseline) const {
  RankStatistics now;
  now.rank = rank().value();
  now.elapsed_seconds = seconds(engine_->now()) - baseline.elapsed_seconds;
  for (WorkerIndex w = 0; w < engine_->workers(); ++w) {
    const exec::WorkerStats& stats = engine_->stats(w);
    const WorkerStatistics before =
        w < baseline.workers.size() ? baseline.workers[w] : WorkerStatistics{};
    now.workers.push_back({seconds(stats.busy()) - before.busy_seconds,
                           seconds(stats.idle()) - before.idle_seconds,
                           seconds(stats.overhead()) - before.overhead_seconds,
                           stats.handlers_run() - before.handlers_run});
  }
  const am::MessengerStats messages = messenger_->stats();
  now.messages_sent = messages.messages_sent;
  now.messages_received = messages.messages_received;
  now.messages_rejected = messages.messages_rejected;
  now.bytes_sent = messages.bytes_sent;
  now.most_held_bytes = messages.most_held_bytes;
  now.most_waiting_bytes = messages.most_waiting_bytes;
  now.times_held_back = messages.times_held_back;
  const mobile::ObjectSpaceStats objects = objects_->stats();
  now.forwarded_calls = objects.calls_forwarded;
  now.migrations_in = objects.migrations_in;
  now.migrations_out = objects.migrations_out;
  now.migrations_refused = objects.migrations_refused;
  now.migrated_bytes_out = objects.migrated_bytes_out;
  now.objects = objects_->resident_count();
  const balance::BalancerStats balancing = balancer_->stats();
  now.refused_requests = balancing.refused_requests;
  now.refused_gain_seconds = balancing.refused_gain_seconds;
  now.refused_cost_seconds = balancing.refused_cost_seconds;
  if (parts_ != nullptr) parts_->add_statistics(now.counters);
  subtract_figures(now, baseline);
  return now;
}

void Runtime::begin_measurement() {
  {
    const std::lock_guard guard(measurement_lock_);
    final_.reset();
    baseline_ = measured_since({});
  }
  parts_->begin_measurement();
}

void Runtime::end_measurement() {
  {
    const std::lock_guard guard(measurement_lock_);
    final_ = measured_since(baseline_);
  }
  parts_->end_measurement();
}

am::Collective<std::vector<RankStatistics>> Runtime::gather_statistics(Rank root) {
  return collectives_->gather(root, statistics());
}

Task<RunSummary> Runtime::summarise_statistics() {
  const detail::RunTotals own = detail::totals_of(statistics());
  co_return detail::summary_of(co_await allreduce<&detail::join_totals>(own));
}

void Runtime::on_dead_letter(std::function<void(const std::string&)> handler) {
  objects_->set_dead_letter_handler(std::move(handler));
}

void Runtime::on_error(std::function<void(const std::string&)> handler) {
  user_error_handler_ = std::move(handler);
}

void Runtime::on_refused_move(std::function<void(const mobile::MigrationOutcome&)> handler) {
  user_refusal_handler_ = std::move(handler);
}

void Runtime::set_job_error_handler(std::function<void(const std::string&)> handler) {
  job_error_handler_ = std::move(handler);
}

void Runtime::set_abort_listener(
    std::function<void(const std::string& report, int signal)> listener) {
  on_remote_abort_ = std::move(listener);
}

void Runtime::set_memory_reserve(std::function<void()> release) {
  release_reserve_ = std::move(release);
}

}  // namespace roam
