// SPDX-License-Identifier: Apache-2.0
#include "roam/balance/detail/phases.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "decision_times.hpp"
#include "phase_messages.hpp"
#include "put_off_moves.hpp"
#include "rebalancing.hpp"
#include "roam/balance/registry.hpp"
#include "roam/core/error.hpp"
#include "roam/placement/detail/gathered_loads.hpp"
#include "roam/placement/detail/note_lists.hpp"
#include "roam/placement/detail/part_steps.hpp"
#include "supersteps.hpp"
#include "wait_history.hpp"

namespace roam::balance {

namespace {

// Round trips per step of a distributed strategy, for each level of the tree of ranks and each
// superstep. Measured: 10 to 20 at 1,000 to 131,072 ranks of a simulated machine (apps/imbalance
// --roam-simulate ranks=1000,workers=1 --roam-balancer hybrid, "decided in").
constexpr double trips_per_level_and_step = 16;

// Where a policy chooses a strategy because ranks wait for messages, nobody has asked for it, and
// no placement may shorten that waiting. Chosen: what is missed by asking late is known to be there
// only once it has been found, and what asking costs is a sixteenth of it at most.
constexpr double caution_of_policies = 16;

Rank rank_at(std::size_t index) { return Rank(static_cast<std::int32_t>(index)); }

}  // namespace

/// Sent by rank 0: the objects that a rank has to move.
struct Phases::OrderedMoves {
  static constexpr am::MessageKind kind{"roam.phase", am::Counted::yes};
  placement::MovesOfAll all;
  double imbalance = 0;
  std::vector<placement::ObjectNote> moves;
  static constexpr auto fields(auto& m) { return std::tie(m.all, m.imbalance, m.moves); }
};

/// What a rank knows about its own phase.
struct Phases::OwnLoads {
  placement::RankLoads told;     // sent to the rank that decides
  std::vector<double> expected;  // loads of its objects expected in the next phase
};

Phases::Phases(Balancer& balancer, mobile::ObjectSpace& space, am::Collectives& collectives,
               mobile::Quiescence& quiescence, const PluginChoice& choice, double speed,
               std::uint64_t seed, const std::vector<NetworkLevel>* network,
               const topology::RankLocation& location)
    : balancer_(balancer),
      space_(space),
      collectives_(collectives),
      quiescence_(quiescence),
      speed_(speed),
      rebalancing_(std::make_unique<Rebalancing>(
          RebalancedRank{space, balancer.models(), balancer.host(), speed, network, location},
          phase_strategies(choice))),
      waits_(std::make_unique<WaitHistory>()),
      put_off_(std::make_unique<PutOffMoves>()),
      times_(std::make_unique<DecisionTimes>()),
      job_(space.messenger(), seed) {
  if (!has_strategy()) return;
  if (rebalancing_->uses_links()) {
    rebalancing_->record_calls();
    rebalancing_->count_calls(rebalancing_->needs_calls_after(0));
  }
  space.messenger().bind<&Phases::on_moves>(*this);
  if (rebalancing_->may_distribute()) {
    steps_ = std::make_unique<Supersteps>(space.messenger(), quiescence, seed);
  }
}

Phases::~Phases() = default;

bool Phases::has_strategy() const { return rebalancing_->has_strategy(); }
void Phases::record_calls() {
  rebalancing_->record_calls();
  rebalancing_->count_calls(true);
}

Task<PhaseReport> Phases::end_phase() {
  co_await quiescence_.wait("phase()");
  const Instant start = space_.engine().now();
  OwnLoads own_loads = take_loads();
  placement::RankLoads& mine = own_loads.told;
  if (recorder_ != nullptr) recorder_->add(mine.of);
  const PhaseOverview own = overview_of(own_loads);
  const PhaseOverview all = co_await collectives_.allreduce<JoinOverviews>(own);
  PhaseReport report;
  report.phase = phase_;
  report.seconds = all.phase_seconds;
  report.objects = all.totals.objects;
  report.max_load_seconds = all.totals.max_seconds;
  report.mean_load_seconds = all.totals.mean_seconds();
  report.expected_max_seconds = report.predicted_max_seconds = all.expected.max_seconds;
  report.expected_mean_seconds = all.expected.mean_seconds();
  rebalancing_->choose(all.totals.objects, waits_of(all));
  times_->settle(rebalancing_->promise().settle(report.imbalance()), report);
  if (is_worth_deciding(all)) {
    mine.of.seconds = std::move(own_loads.expected);
    count_bytes(mine.of);
    const std::uint64_t refused_before = balancer_.stats().migrations_refused;
    not_started_ = 0;
    if (rebalancing_->chosen()->is_distributed) {
      if (rebalancing_->has_places_to_hear()) {
        rebalancing_->hear_places(co_await collectives_.allgather(rebalancing_->tell_place()));
      }
      report = co_await decide_together(std::move(mine), all.expected, report);
    } else {
      if (rebalancing_->has_place_to_tell()) {
        const auto places = co_await collectives_.gather(0, rebalancing_->tell_place());
        for (std::size_t r = 0; r < places.size(); ++r) rebalancing_->take_place(r, places[r]);
      }
      auto loads = co_await collectives_.gather(0, std::move(mine));
      if (const auto* const parted = rebalancing_->chosen()->strategy->parted()) {
        report = co_await decide_in_parts(*parted, std::move(loads), report);
      } else if (space_.rank() == 0) {
        decide(loads, report);
      }
    }
    report.decision_seconds = seconds(space_.engine().now() - start);
    // Orders to move are counted messages, and they start migrations.
    co_await quiescence_.wait("phase()");
    report.asked_seconds = seconds(space_.engine().now() - start);
    const std::uint64_t refused =
        balancer_.stats().migrations_refused - refused_before + not_started_;
    const auto all_refused = co_await collectives_.reduce<std::plus<>>(0, refused);
    report.refused_objects = std::min(all_refused.value_or(0), report.moved_objects);
    report.moved_objects -= report.refused_objects;
    if (report.moved_objects > 0) {
      report.asked_seconds =
          std::max(report.decision_seconds, report.asked_seconds - report.cost_seconds);
    }
    report = co_await collectives_.broadcast(0, report);
    note_outcome(report);
  }
  if (recorder_ == nullptr && rebalancing_->uses_links())
    rebalancing_->count_calls(needs_calls(waits_of(all)));
  ++phase_;
  // Ranks continue one after the other. Calls from the first ones wait at the others until these
  // continue too; otherwise the calls would occupy them before they have informed their neighbours
  // and their own main program.
  space_.engine().hold_work();
  co_await collectives_.barrier();
  space_.engine().release_work();
  begin_ = space_.engine().now();
  worked_before_ = rebalancing_->time_at_work();
  if (space_.rank() == 0) keep_record(report);
  co_return report;
}

void Phases::keep_record(const PhaseReport& report) {
  const std::lock_guard guard(records_lock_);
  if (records_.size() < most_records) records_.push_back({begin_, report});
}

PhaseOverview Phases::overview_of(const OwnLoads& own) const {
  const placement::RankLoads& loads = own.told;
  PhaseOverview overview{};
  overview.totals = totals_of(loads, loads.of.seconds);
  overview.expected = totals_of(loads, own.expected);
  overview.phase_seconds = loads.phase_seconds;
  // As a rule both objects of a pair call each other, and two ranks then count the pair's link.
  overview.links = 0.5 * static_cast<double>(loads.of.calls.size());
  overview.least_move_seconds = balancer_.host().move_seconds(1);
  overview.round_trip_seconds = balancer_.host().round_trip_seconds();
  overview.enabled = space_.rank() == 0 && balancer_.enabled() ? 1 : 0;
  return overview;
}

placement::LoadTotals Phases::totals_of(const placement::RankLoads& loads,
                                        const std::vector<double>& of) {
  placement::LoadTotals totals;
  totals.objects = of.size();
  totals.work_seconds = std::accumulate(of.begin(), of.end(), loads.background_seconds);
  totals.capacity = loads.capacity;
  totals.max_seconds = totals.work_seconds / loads.capacity;
  return totals;
}

/// The part of the phase in which not even the rank with most work was working; the same on every
/// rank.
double Phases::waits_of(const PhaseOverview& all) {
  if (all.phase_seconds <= 0) return 0;
  return std::max(0.0, 1 - all.totals.max_seconds / all.phase_seconds);
}

/// Whether calls have to be counted in the next phase, in order that a strategy can be asked then.
bool Phases::needs_calls(double waits) const {
  return rebalancing_->needs_calls_after(0) ||
         (times_->may_ask_in(phase_ + 1) && times_->may_be_due() &&
          rebalancing_->needs_calls_after(waits));
}

/// Whether to ask the strategy; the same result on every rank.
bool Phases::is_worth_deciding(const PhaseOverview& all) {
  const Rebalancing::Choice* const chosen = rebalancing_->chosen();
  if (chosen == nullptr || all.enabled == 0 || space_.messenger().size() == 1) return false;
  // Without calls between objects, such a strategy gains by work, too.
  counts_communication_ = chosen->kind->gains_by_communication && all.links > 0;
  if (chosen->kind->moves_without_gain) return true;
  const double mean = all.expected.mean_seconds();
  const double gain_by_work = all.expected.max_seconds - mean;
  // Communication cannot cost more than the time for which ranks have waited.
  const double by_communication = std::max(gain_by_work, all.phase_seconds - mean);
  waits_->add(by_communication);
  if (rebalancing_->lacks_calls() &&
      !waits_->is_work_first(gain_by_work, all.phase_seconds - all.totals.max_seconds)) {
    times_->missed(by_communication);
    return false;
  }
  const double most_gain = counts_communication_ ? by_communication : gain_by_work;
  return times_->is_time({.number = phase_,
                          .most_gain_seconds = most_gain,
                          .gain_phases = waits_->phases_with(most_gain),
                          .gain_by_work_seconds = gain_by_work,
                          .mean_seconds = mean,
                          .least_move_seconds = all.least_move_seconds,
                          .asking_seconds = deciding_seconds(all),
                          .counts_work = !counts_communication_,
                          .caution = chosen->least_waits > 0 ? caution_of_policies : 1});
}

/// Predicted time of asking the strategy; the same on every rank.
double Phases::deciding_seconds(const PhaseOverview& all) const {
  // The last one may have been another strategy, which takes less.
  const bool is_same = rebalancing_->chosen()->least_waits <= 0;
  if (is_same && times_->asked_seconds() > 0) return times_->asked_seconds();
  const double levels = std::bit_width(static_cast<std::uint32_t>(space_.messenger().size()));
  const auto objects = static_cast<double>(all.totals.objects);
  const placement::StrategyKind& kind = *rebalancing_->chosen()->kind;
  const double computing = kind.seconds_per_object * objects + kind.seconds_per_link * all.links;
  if (!rebalancing_->chosen()->is_distributed)
    return 2 * levels * all.round_trip_seconds + computing;
  // Steps go down and up a tree, and all ranks wait for each other after each of them.
  return trips_per_level_and_step * levels * levels * all.round_trip_seconds +
         computing / space_.messenger().size();
}

void Phases::note_outcome(const PhaseReport& report) {
  times_->note(report, !counts_communication_);
  put_off_->note(report, !counts_communication_);
  if (report.moved_objects == 0) return;
  waits_->forget();
  rebalancing_->promise().give(report.expected_imbalance(),
                               report.predicted_max_seconds / report.expected_mean_seconds - 1);
}

Phases::OwnLoads Phases::take_loads() {
  OwnLoads own;
  own.told = rebalancing_->measured();
  placement::RankLoads& loads = own.told;
  loads.phase_seconds = seconds(space_.engine().now() - begin_);
  ModelStack& models = balancer_.models();
  if (has_strategy()) models.begin_round();
  const double in_objects = space_.end_load_phase([&](const mobile::ResidentView& object) {
    const double measured = object.record.phase_seconds * speed_;
    rebalancing_->add(loads, object, measured);
    own.expected.push_back(has_strategy() ? models.expect(object, measured) : measured);
  });
  if (has_strategy()) models.end_round();
  if (recorder_ != nullptr) count_bytes(loads.of);
  const double worked = seconds(rebalancing_->time_at_work() - worked_before_);
  loads.background_seconds = std::max(0.0, worked - in_objects) * speed_;
  return own;
}

/// Fills in the sizes of objects that are not known; these are packed, without being stored, to
/// find them.
void Phases::count_bytes(placement::PhaseLoads& loads) {
  for (std::size_t i = 0; i < loads.objects.size(); ++i) {
    if (loads.bytes[i] == 0) loads.bytes[i] = space_.packed_bytes(ObjectId(loads.objects[i]));
  }
}

void Phases::decide(const std::vector<placement::RankLoads>& loads, PhaseReport& report) {
  const placement::GatheredLoads gathered = rebalancing_->gathered(loads);
  const double max_seconds = report.expected_max_seconds;
  const double kept_gain = counts_communication_ ? 0 : put_off_->gain(loads, gathered, max_seconds);
  const Decided decided =
      rebalancing_->decide(loads, gathered, max_seconds, counts_communication_,
                           [this, kept_gain](double gain) { return phases_with(gain, kept_gain); });
  const Duration time = rebalancing_->deciding_time(gathered.graph);
  if (time > Duration{0}) space_.engine().compute(time);
  carry_out(decided, report);
}

Task<PhaseReport> Phases::decide_in_parts(const placement::PartedStrategy& strategy,
                                          std::vector<placement::RankLoads> loads,
                                          PhaseReport report) {
  const placement::StrategyKind& kind = *rebalancing_->chosen()->kind;
  std::optional<placement::GatheredLoads> gathered;
  if (space_.rank() == 0) gathered = rebalancing_->gathered(loads);
  placement::PartSteps parts(strategy, kind.seconds_per_object, gathered ? &*gathered : nullptr);
  co_await steps_->run(parts);
  if (gathered) {
    carry_out(rebalancing_->decided(parts.placement(), loads, *gathered,
                                    report.expected_max_seconds, counts_communication_,
                                    [this](double gain) { return phases_with(gain, 0); }),
              report);
  }
  co_return report;
}

/// For how many phases the chosen strategy's moves are expected to gain so much in each;
/// `kept_gain`: what moves put off would gain in one. Who communicates with whom follows from the
/// program and stays. Loads may change, and have stayed what they were only if old moves still fit
/// them.
std::uint32_t Phases::phases_with(double gain, double kept_gain) const {
  if (counts_communication_) return waits_->phases_with(gain);
  return put_off_->phases_with(gain, kept_gain, phase_);
}

void Phases::carry_out(const Decided& decided, PhaseReport& report) {
  const placement::Prospect& prospect = decided.prospect;
  report.gain_seconds = prospect.gain_seconds;
  report.gain_phases = prospect.gain_phases;
  report.cost_seconds = prospect.cost_seconds;
  if (prospect.is_worth_it) {
    report.moved_objects = prospect.after.moved_objects;
    report.predicted_max_seconds = prospect.after.max_seconds;
    order_moves(decided, report.expected_imbalance());
  } else {
    std::vector<placement::ObjectNote> all;
    for (const auto& of_rank : decided.moves) all.insert(all.end(), of_rank.begin(), of_rank.end());
    put_off_->propose(std::move(all));
  }
}

void Phases::leave_recording() {
  if (recorder_ == nullptr || has_finished_recording_.exchange(true)) return;
  // Neither load models nor the program's code may be called: another thread may be running them.
  placement::PhaseLoads rest;
  space_.end_load_phase([&](const mobile::ResidentView& object) {
    rest.objects.push_back(object.id.value());
    rest.seconds.push_back(object.record.phase_seconds * speed_);
    rest.bytes.push_back(object.record.packed_bytes);
  });
  rest.calls = rebalancing_->take_calls();
  if (std::ranges::any_of(rest.seconds, [](double s) { return s > 0; })) recorder_->add(rest);
  recorder_->write(job_.text());
}

void Phases::finish_recording() {
  if (recorder_ == nullptr || has_finished_recording_.exchange(true)) return;
  // The loads after the last boundary; everything, in a program without phases.
  const placement::RankLoads rest = take_loads().told;
  if (std::ranges::any_of(rest.of.seconds, [](double s) { return s > 0; })) recorder_->add(rest.of);
  recorder_->write(job_.text());
}

void Phases::order_moves(const Decided& decided, double imbalance) {
  for (std::size_t r = 0; r < decided.moves.size(); ++r) {
    if (decided.moves[r].empty()) continue;
    space_.messenger().post(rank_at(r), OrderedMoves{decided.all, imbalance, decided.moves[r]});
  }
}

void Phases::on_moves(const OrderedMoves& order) {
  for (const placement::ObjectNote& note : order.moves) {
    placement::check_note(note, space_.messenger().size());
  }
  move(order.moves, order.all, order.imbalance);
}

Task<PhaseReport> Phases::decide_together(placement::RankLoads loads, placement::LoadTotals totals,
                                          PhaseReport report) {
  placement::RankShare share;
  share.rank = space_.rank();
  share.size = space_.messenger().size();
  share.capacity = loads.capacity;
  share.fixed_seconds = loads.background_seconds;
  share.totals = totals;
  share.calls = std::move(loads.of.calls);
  share.places = &rebalancing_->places();
  for (std::size_t i = 0; i < loads.of.objects.size(); ++i) {
    share.objects.push_back({loads.of.objects[i], loads.of.seconds[i], loads.of.bytes[i],
                             space_.rank().value(), space_.rank().value()});
  }
  const Rebalancing::Choice& chosen = *rebalancing_->chosen();
  double kept_gain = 0;
  if (!counts_communication_ && put_off_->has_any())
    kept_gain = report.expected_max_seconds - co_await max_seconds_put_off(share);
  const auto strategy = chosen.kind->distribute(chosen.parameters, std::move(share));
  co_await steps_->run(*strategy);
  placement::DistributedStrategy::Result result = strategy->result();
  const PhaseOutlook own = outlook_of(result);
  const PhaseOutlook outlook = co_await collectives_.allreduce<JoinOutlooks>(own);
  report.gain_seconds = counts_communication_ ? outlook.busy_now - outlook.busy_then
                                              : report.expected_max_seconds - outlook.max_seconds;
  report.cost_seconds = outlook.cost_seconds;
  report.gain_phases = phases_with(report.gain_seconds, kept_gain);
  report.gain_seconds *= report.gain_phases;
  if (report.gain_seconds > report.cost_seconds || chosen.kind->moves_without_gain) {
    report.moved_objects = outlook.moved_objects;
    report.predicted_max_seconds = outlook.max_seconds;
    move(result.moves,
         {report.gain_seconds, report.cost_seconds, outlook.moved_seconds, outlook.moved_objects},
         report.expected_imbalance());
  } else {
    put_off_->propose(std::move(result.moves));
  }
  co_return report;
}

Task<double> Phases::max_seconds_put_off(const placement::RankShare& share) {
  const auto judged = put_off_->judge(share);
  co_await steps_->run(*judged);
  PhaseOutlook outlook{};
  outlook.max_seconds = judged->result().work_seconds / share.capacity;
  outlook = co_await collectives_.allreduce<JoinOutlooks>(outlook);
  co_return outlook.max_seconds;
}

PhaseOutlook Phases::outlook_of(const placement::DistributedStrategy::Result& result) const {
  PhaseOutlook outlook{};
  outlook.busy_now = result.busy_seconds_now;
  outlook.busy_then = result.busy_seconds_then;
  outlook.max_seconds = result.work_seconds / (speed_ * space_.engine().workers());
  outlook.moved_objects = result.moves.size();
  const double latency = balancer_.host().round_trip_seconds();
  outlook.cost_seconds = latency;
  for (const placement::ObjectNote& note : result.moves) {
    outlook.moved_seconds += note.seconds;
    outlook.cost_seconds += balancer_.host().move_seconds(note.bytes) - latency;
  }
  if (result.arriving_objects > 0) {
    const std::uint64_t mean_bytes = result.arriving_bytes / result.arriving_objects;
    outlook.cost_seconds += static_cast<double>(result.arriving_objects) *
                            (balancer_.host().move_seconds(mean_bytes) - latency);
  }
  return outlook;
}

void Phases::move(const std::vector<placement::ObjectNote>& notes, const placement::MovesOfAll& all,
                  double imbalance) {
  not_started_ += rebalancing_->carry_out(notes, all, imbalance, "phase " + std::to_string(phase_));
}

}  // namespace roam::balance
