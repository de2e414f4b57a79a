// SPDX-License-Identifier: Apache-2.0
#include "testing/schedule_run.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>

namespace roam::testing {

namespace {

template <class T>
T draw(const Range<T>& range, core::Random& random) {
  return range.least +
         static_cast<T>(random.below(static_cast<std::uint64_t>(range.most - range.least) + 1));
}

std::string in_microseconds(Duration duration) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f us", static_cast<double>(duration.count()) / 1e3);
  return text;
}

std::string rank_name(std::uint32_t rank) { return "rank " + std::to_string(rank); }

}  // namespace

ScheduleRun::ScheduleRun(const ExploreOptions& options, const MakeScenario& scenario,
                         const RunRequest& request)
    : options_(options),
      request_(request),
      decisions_(options, request.seed),
      schedule_(draw_schedule()),
      scenario_(scenario(schedule_)),
      location_policy_(draw_location_policy()),
      history_(schedule_.ranks, options.compare_states, location_policy_ != LocationPolicy::home),
      migrations_left_(options.most_migrations),
      actions_left_(scenario_.actions.empty() ? 0 : options.most_actions),
      job_(job_options()) {
  if (request.allowed != nullptr) decisions_.allow_only(*request.allowed);
  if (request.keeps_record) {
    decisions_.keep_words();
    timeline_.set_clock(job_.clock());
    history_.set_timeline(&timeline_);
  }
  history_.set_state(scenario_.state.get());
  history_.set_at_quiescence(scenario_.at_quiescence);
  const auto ranks = static_cast<std::size_t>(job_.size());
  const std::size_t slots = ranks * (schedule_.workers + 2);
  ties_.resize(slots);
  steps_.resize(slots);
  messages_.resize(ranks * ranks);
  points_.resize(ranks);
  turns_.resize(ranks);
  arrivals_.resize(ranks);
  draw_slow_ranks();
  for (std::int32_t rank = 0; rank < job_.size(); ++rank) prepare(rank);
  for (std::int32_t rank = schedule_.ranks; rank < job_.size(); ++rank)
    helpers_left_.emplace_back(rank);
}

Schedule ScheduleRun::draw_schedule() {
  Schedule schedule;
  core::Random random(request_.seed ^ 0xbb67ae8584caa73bULL);
  schedule.seed = request_.seed;
  schedule.ranks = draw(options_.ranks, random);
  schedule.workers = draw(options_.workers, random);
  schedule.random = core::Random(random());
  if (options_.helpers.most > 0) schedule.helpers = draw(options_.helpers, random);
  return schedule;
}

LocationPolicy ScheduleRun::draw_location_policy() const {
  core::Random random(request_.seed ^ 0xa54ff53a5f1d36f1ULL);
  return options_.location_policies[random.below(options_.location_policies.size())];
}

SimulatedJobOptions ScheduleRun::job_options() {
  core::Random random(request_.seed ^ 0x3c6ef372fe94f82bULL);
  SimulatedJobOptions options;
  options.options.simulate = Machine{};
  options.options.simulate->ranks = schedule_.ranks + schedule_.helpers;
  options.options.helpers = schedule_.helpers;
  options.options.simulate->workers_per_rank = schedule_.workers;
  options.options.seed = request_.seed;
  options.options.max_hops = draw(options_.max_hops, random);
  options.options.location_policy = location_policy_;
  if (random.unit() < options_.small_directories) options.options.directory_limit = random.below(5);
  if (random.unit() < options_.small_messages) options.options.message_threshold_bytes = 256;
  options.reorder = random.unit() < options_.reordering_networks;
  options.options.balancer = options_.balancers[random.below(options_.balancers.size())];
  options.shares_memory = random.unit() < options_.shared_memories;
  if (options_.configure) {
    core::Random further(request_.seed ^ 0x510e527fade682d1ULL);
    options_.configure(options.options, further);
  }
  options.choices = this;
  return options;
}

void ScheduleRun::prepare(Rank rank) {
  Runtime& runtime = job_.runtime(rank);
  runtime.objects().set_protocol_observer(&history_);
  runtime.objects().set_admission(
      [this, rank](ObjectId object, std::uint64_t) { return refuse(rank, object); });
  runtime.engine().services().set<Probe>(&history_);
}

RunOutcome ScheduleRun::run() {
  bool ended = false;
  try {
    ended = job_.run(scenario_.program);
    if (!ended && !job_.error().empty() && !history_.violation())
      history_.violate("error", job_.error(), {});
    if (ended) history_.check_end();
    if (ended && scenario_.at_end && !history_.violation()) {
      const exec::Scope scope(&job_.runtime(0).engine().outside_context());
      scenario_.at_end();
    }
  } catch (const std::exception& error) {
    history_.violate("error", error.what(), {});
  }
  RunOutcome outcome;
  outcome.violation = history_.violation();
  outcome.disturbances = decisions_.count();
  outcome.decisions = decisions_.take();
  outcome.totals = history_.totals();
  outcome.totals.schedules = 1;
  outcome.totals.events = job_.events();
  outcome.totals.virtual_time = job_.now();
  outcome.timeline = std::move(timeline_);
  return outcome;
}

std::uint32_t& ScheduleRun::count_of(std::vector<std::uint32_t>& counts, std::uint32_t a,
                                     std::uint32_t b) const {
  return counts[a * (counts.size() / points_.size()) + b];
}

template <class Words>
void ScheduleRun::disturb(DecisionKind kind, std::uint32_t a, std::uint32_t b, std::uint64_t n,
                          ObjectId object, Words&& words) {
  decisions_.made(kind, a, b, n, [&] {
    std::string text = "event " + std::to_string(events_) + ": " + words();
    timeline_.add(text, object);
    return text;
  });
}

void ScheduleRun::draw_slow_ranks() {
  for (std::uint32_t rank = 0; rank < static_cast<std::uint32_t>(job_.size()); ++rank) {
    const std::uint64_t drawn = decisions_.draw(DecisionKind::slow_rank, rank, 0, 0);
    slow_.push_back(drawn == 0 ? Duration(0) : scaled(drawn, options_.slow_ranks.longest));
    if (drawn == 0) continue;
    disturb(DecisionKind::slow_rank, rank, 0, 0, {}, [&] {
      return rank_name(rank) + " is slow: " + in_microseconds(slow_.back()) + " more per step";
    });
  }
}

std::uint32_t ScheduleRun::tie(std::uint32_t engine, std::uint32_t slot) {
  const std::uint64_t n = count_of(ties_, engine, slot)++;
  const std::uint64_t drawn = decisions_.draw(DecisionKind::tie, engine, slot, n);
  if (drawn == 0) return 0;
  disturb(DecisionKind::tie, engine, slot, n, {}, [&] {
    return "a turn of " + rank_name(engine) + " comes later than others at the same time";
  });
  return static_cast<std::uint32_t>(drawn >> 40U) + 1;
}

Duration ScheduleRun::step_delay(std::uint32_t engine, std::uint32_t worker) {
  const std::uint64_t n = count_of(steps_, engine, worker)++;
  const std::uint64_t drawn = decisions_.draw(DecisionKind::late_step, engine, worker, n);
  if (drawn == 0) return slow_[engine];
  const Duration delay = scaled(drawn, options_.late_steps.longest);
  disturb(DecisionKind::late_step, engine, worker, n, {}, [&] {
    return rank_name(engine) + ", worker " + std::to_string(worker) + " pauses for " +
           in_microseconds(delay);
  });
  return slow_[engine] + delay;
}

Duration ScheduleRun::message_delay(std::uint32_t from, std::uint32_t to) {
  const std::uint64_t n = count_of(messages_, from, to)++;
  const std::uint64_t drawn = decisions_.draw(DecisionKind::late_message, from, to, n);
  if (drawn == 0) return Duration(0);
  const Duration delay = scaled(drawn, options_.late_messages.longest);
  disturb(DecisionKind::late_message, from, to, n, {}, [&] {
    return "message " + std::to_string(n) + " from rank " + std::to_string(from) + " to " +
           std::to_string(to) + " is late by " + in_microseconds(delay);
  });
  return delay;
}

exec::SimChoices::Preemption ScheduleRun::preemption(std::uint32_t engine) {
  // Actions from outside belong to no handler and no message: if others continued during one, they
  // could find the job at rest.
  if (is_acting_ || history_.violation()) return {};
  const std::uint64_t n = points_[engine]++;
  Preemption preemption;
  preemption.acted = maybe_migrate(DecisionKind::migration_inside, engine, n);
  const std::uint64_t drawn = decisions_.draw(DecisionKind::preemption, engine, 0, n);
  if (drawn == 0) return preemption;
  preemption.events = 1 + static_cast<std::uint32_t>((drawn >> 8U) % 12);
  preemption.same_rank = ((drawn >> 16U) & 1U) != 0;
  preemption.longest = options_.preemptions.longest;
  ++history_.totals().preemptions;
  disturb(DecisionKind::preemption, engine, 0, n, {}, [&] {
    return rank_name(engine) + " is interrupted inside a step, for " +
           std::to_string(preemption.events) + " events" +
           (preemption.same_rank ? " of its own" : "");
  });
  return preemption;
}

bool ScheduleRun::between_events(std::uint32_t engine, std::uint64_t events) {
  events_ = events;
  history_.settle();
  if (history_.violation()) return false;
  if (events > options_.most_events) {
    history_.violate("M10", "the job does not come to its end", {});
    return false;
  }
  // Numbered by rank: places that are left out on other ranks do not change the number.
  const std::uint64_t n = turns_[engine]++;
  maybe_migrate(DecisionKind::migration, engine, n);
  maybe_act(engine, n);
  maybe_lose(engine, n);
  return true;
}

std::string ScheduleRun::refuse(Rank rank, ObjectId object) {
  const auto there = static_cast<std::uint32_t>(rank.value());
  const std::uint64_t n = arrivals_[there]++;
  if (decisions_.draw(DecisionKind::refusal, there, 0, n) == 0) return {};
  disturb(DecisionKind::refusal, there, 0, n, object,
          [&] { return rank_name(there) + " refuses object " + to_string(object); });
  return "refused by the schedule";
}

// Half of the orders, and those of helpers, come from the object's own rank, where they coincide
// with its other activities.
bool ScheduleRun::maybe_migrate(DecisionKind kind, std::uint32_t asking, std::uint64_t n) {
  if (migrations_left_ == 0) return false;
  const std::uint64_t drawn = decisions_.draw(kind, asking, 0, n);
  if (drawn == 0) return false;
  const ObjectId object = history_.choose_object(drawn);
  if (!object) return false;
  const auto ranks = static_cast<std::uint64_t>(schedule_.ranks);
  const bool is_outside = kind == DecisionKind::migration;
  Rank from = is_outside ? Rank(static_cast<std::int32_t>((drawn >> 40U) % ranks))
                         : Rank(static_cast<std::int32_t>(asking));
  const bool is_helper = from.value() >= schedule_.ranks;
  if (is_helper || ((drawn >> 32U) & 1U) != 0) from = history_.owner(object);
  const Rank to(static_cast<std::int32_t>((drawn >> 48U) % ranks));
  --migrations_left_;
  disturb(kind, asking, 0, n, object, [&] {
    return "rank " + std::to_string(from.value()) + " is asked to move object " +
           to_string(object) + " to rank " + std::to_string(to.value()) +
           (is_outside ? "" : ", inside a step");
  });
  is_acting_ = true;
  job_.runtime(from).objects().migrate(object, to);
  is_acting_ = false;
  return true;
}

void ScheduleRun::maybe_act(std::uint32_t asking, std::uint64_t n) {
  if (actions_left_ == 0) return;
  const std::uint64_t drawn = decisions_.draw(DecisionKind::action, asking, 0, n);
  if (drawn == 0) return;
  core::Random random(drawn);
  const Action& action = scenario_.actions[random.below(scenario_.actions.size())];
  const Rank rank(
      static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(schedule_.ranks))));
  --actions_left_;
  disturb(DecisionKind::action, asking, 0, n, {}, [&] {
    return "rank " + std::to_string(rank.value()) + " is made to do: " + action.name;
  });
  Runtime& runtime = job_.runtime(rank);
  const exec::Scope scope(&runtime.engine().outside_context());
  is_acting_ = true;
  action.act(runtime, random);
  is_acting_ = false;
}

void ScheduleRun::maybe_lose(std::uint32_t asking, std::uint64_t n) {
  if (helpers_left_.empty()) return;
  const std::uint64_t drawn = decisions_.draw(DecisionKind::loss, asking, 0, n);
  if (drawn == 0) return;
  const auto place =
      helpers_left_.begin() + static_cast<std::ptrdiff_t>((drawn >> 8U) % helpers_left_.size());
  const Rank helper = *place;
  helpers_left_.erase(place);
  disturb(DecisionKind::loss, asking, 0, n, {},
          [&] { return "rank " + std::to_string(helper.value()) + ", a helper, is lost"; });
  job_.lose(helper, options_.lost_helpers.longest);
}

}  // namespace roam::testing
