// SPDX-License-Identifier: Apache-2.0
#include "roam/balance/phases.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <functional>
#include <numeric>
#include <utility>

#include "phase_messages.hpp"
#include "rebalancing.hpp"
#include "roam/balance/registry.hpp"
#include "roam/core/error.hpp"
#include "roam/placement/gathered_loads.hpp"
#include "roam/placement/note_lists.hpp"
#include "supersteps.hpp"

namespace roam::balance {

namespace {

/// What goes before the moves of a rank.
struct Order {
  placement::MovesOfAll all;
  double imbalance;
};

// Between two decisions, in phases.
constexpr std::uint32_t longest_pause = 64;
// A promise is kept by this part of the gain in imbalance.
constexpr double least_kept = 0.25;
// Of distributed strategies, at 1,000 to 131,072 ranks of a simulated machine: 10 to 20.
constexpr double trips_per_level_and_step = 16;

std::uint32_t longer(std::uint32_t pause) { return std::min(2 * pause + 2, longest_pause); }

Rank rank_at(std::size_t index) { return Rank(static_cast<std::int32_t>(index)); }

}  // namespace

/// What a rank knows of its phase.
struct Phases::OwnLoads {
  placement::RankLoads told;     // to the rank that decides
  std::vector<double> expected;  // of its objects, for the next phase
};

Phases::Phases(Balancer& balancer, mobile::ObjectSpace& space, am::Collectives& collectives,
               mobile::Quiescence& quiescence, const PluginChoice& choice, double speed,
               std::uint64_t seed)
    : balancer_(balancer),
      space_(space),
      collectives_(collectives),
      quiescence_(quiescence),
      speed_(speed),
      job_(space.messenger(), seed) {
  bool distributes = false;
  for (const PhaseStrategy& one : phase_strategies(choice)) {
    const auto& kind = plugin::require<placement::StrategyKind>(one.choice.name);
    candidates_.push_back({&kind,
                           {"strategy " + kind.name, kind.parameters, one.choice},
                           placement::make_strategy(one.choice, "--roam-balancer"),
                           one.most_objects});
    distributes = distributes || kind.distribute != nullptr;
    if (kind.uses_links && !calls_) calls_ = space.record_calls();
    uses_coordinates_ = uses_coordinates_ || kind.uses_coordinates;
  }
  if (candidates_.empty()) return;
  space.messenger().bind("roam.phase", this, &Phases::on_moves);
  if (distributes) steps_ = std::make_unique<Supersteps>(space.messenger(), quiescence, seed);
}

Phases::~Phases() = default;

const Phases::Candidate* Phases::candidate_for(std::uint64_t objects) const {
  const auto fits = [objects](const Candidate& one) { return objects <= one.most_objects; };
  const auto found = std::ranges::find_if(candidates_, fits);
  return found == candidates_.end() ? nullptr : &*found;
}

Task<PhaseReport> Phases::end_phase() {
  co_await quiescence_.wait();
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
  chosen_ = candidate_for(all.totals.objects);
  compare_with_promise(report);
  if (is_worth_deciding(all)) {
    mine.of.seconds = std::move(own_loads.expected);
    const std::uint64_t refused_before = balancer_.stats().migrations_refused;
    not_started_ = 0;
    if (chosen_->kind->distribute != nullptr) {
      report = co_await decide_together(std::move(mine), all.expected, report);
    } else {
      const auto loads = co_await collectives_.gather(0, std::move(mine));
      if (space_.rank() == 0) decide(loads, report);
    }
    report.decision_seconds = seconds(space_.engine().now() - start);
    // Orders to move are counted messages, and what they start are migrations.
    co_await quiescence_.wait();
    decided_seconds_ = seconds(space_.engine().now() - start);
    const std::uint64_t refused =
        balancer_.stats().migrations_refused - refused_before + not_started_;
    const auto all_refused = co_await collectives_.reduce<std::plus<>>(0, refused);
    report.refused_objects = std::min(all_refused.value_or(0), report.moved_objects);
    report.moved_objects -= report.refused_objects;
    if (report.moved_objects > 0) {
      decided_seconds_ = std::max(report.decision_seconds, decided_seconds_ - report.cost_seconds);
    }
    report.asked_seconds = decided_seconds_;
    report = co_await collectives_.broadcast(0, report);
    note_outcome(report);
  }
  ++phase_;
  // Ranks go on one after the other. The calls of the first ones wait at the others until these go
  // on, too: else they would keep them busy before they have let their neighbours and their own
  // main program know.
  space_.engine().hold_work();
  co_await collectives_.barrier();
  space_.engine().release_work();
  begin_ = space_.engine().now();
  worked_before_ = time_at_work();
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
  overview.least_move_seconds = balancer_.predicted_move_seconds(1);
  overview.round_trip_seconds = balancer_.round_trip();
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

/// The same on every rank.
bool Phases::is_worth_deciding(const PhaseOverview& all) {
  if (chosen_ == nullptr || all.enabled == 0 || space_.messenger().size() == 1) return false;
  if (chosen_->kind->moves_without_gain) return true;
  if (phase_ < trusts_from_) return false;
  const double mean = all.expected.mean_seconds();
  const double most_gain = all.expected.max_seconds - mean;
  if (most_gain <= all.least_move_seconds) return false;
  // What it was worth to have asked before comes again, perhaps: who asks when so much has been
  // missed as asking takes never loses more than twice what could not be avoided.
  missed_seconds_ += most_gain - reached_imbalance_ * mean;
  if (missed_seconds_ <= deciding_seconds(all)) return false;
  // Strategies do not find more in what they have placed themselves.
  return most_gain > 1.1 * reached_imbalance_ * mean || phase_ >= next_try_;
}

/// What it takes to ask the strategy; the same on every rank.
double Phases::deciding_seconds(const PhaseOverview& all) const {
  if (decided_seconds_ > 0) return decided_seconds_;
  const double levels = std::bit_width(static_cast<std::uint32_t>(space_.messenger().size()));
  const auto objects = static_cast<double>(all.totals.objects);
  const double each = chosen_->kind->seconds_per_object;
  if (chosen_->kind->distribute == nullptr)
    return 2 * levels * all.round_trip_seconds + each * objects;
  // Steps down and up a tree, all ranks waiting for each other after each of them.
  return trips_per_level_and_step * levels * levels * all.round_trip_seconds +
         each * objects / space_.messenger().size();
}

void Phases::compare_with_promise(const PhaseReport& report) {
  const double promised = imbalance_before_ - promised_imbalance_;
  if (promised > 0) {
    const bool is_kept = imbalance_before_ - report.imbalance() >= least_kept * promised;
    distrust_ = is_kept ? 0 : longer(distrust_);
    trusts_from_ = phase_ + distrust_;
  }
  imbalance_before_ = promised_imbalance_ = 0;
}

void Phases::note_outcome(const PhaseReport& report) {
  missed_seconds_ = 0;
  decided_seconds_ = report.asked_seconds;
  reached_imbalance_ = report.predicted_max_seconds / report.expected_mean_seconds - 1;
  if (report.moved_objects > 0) {
    imbalance_before_ = report.expected_imbalance();
    promised_imbalance_ = reached_imbalance_;
  }
  pause_ = report.moved_objects > 0 ? 2 : longer(pause_);
  next_try_ = phase_ + 1 + pause_;
}

Phases::OwnLoads Phases::take_loads() {
  OwnLoads own;
  placement::RankLoads& loads = own.told;
  loads.capacity = speed_ * space_.engine().workers();
  loads.phase_seconds = seconds(space_.engine().now() - begin_);
  ModelStack& models = balancer_.models();
  if (has_strategy()) models.begin_round();
  const double in_objects = space_.end_load_phase([&](const mobile::ResidentView& object) {
    loads.of.objects.push_back(object.id.value());
    loads.of.seconds.push_back(object.record.phase_seconds * speed_);
    loads.of.bytes.push_back(object.record.packed_bytes);
    if (uses_coordinates_) loads.of.coordinates.push_back(coordinates_of(object));
    const double measured = loads.of.seconds.back();
    own.expected.push_back(has_strategy() ? models.expect(object, measured) : measured);
  });
  if (has_strategy()) models.end_round();
  if (has_strategy() || recorder_ != nullptr) count_bytes(loads.of);
  loads.of.calls = calls_.take();
  const double worked = seconds(time_at_work() - worked_before_);
  loads.background_seconds = std::max(0.0, worked - in_objects) * speed_;
  return own;
}

/// Of objects that have never moved: once.
void Phases::count_bytes(placement::PhaseLoads& loads) {
  for (std::size_t i = 0; i < loads.objects.size(); ++i) {
    if (loads.bytes[i] == 0) loads.bytes[i] = space_.packed_bytes(ObjectId(loads.objects[i]));
  }
}

/// Of all workers: in handlers, and in the runtime (B6).
Duration Phases::time_at_work() const {
  const exec::Engine& engine = space_.engine();
  Duration time{0};
  for (WorkerIndex w = 0; w < engine.workers(); ++w) {
    time += engine.stats(w).busy() + engine.stats(w).overhead();
  }
  return time;
}

void Phases::decide(const std::vector<placement::RankLoads>& loads, PhaseReport& report) {
  const placement::GatheredLoads gathered = gather(loads, chosen_->kind->uses_links);
  const placement::LoadGraph& graph = gathered.graph;
  const placement::Placement placement = chosen_->strategy->place(graph, gathered.machine);
  // In virtual time, computing takes what it is said to take.
  if (space_.engine().clock().is_virtual()) {
    space_.engine().compute(
        from_seconds(chosen_->kind->seconds_per_object * static_cast<double>(graph.size())));
  }
  const placement::Prospect prospect = placement::prospect_of(
      placement, gathered, *chosen_->kind, report.expected_max_seconds, balancer_.round_trip(),
      [this](std::uint64_t bytes) { return balancer_.predicted_move_seconds(bytes); });
  report.gain_seconds = prospect.gain_seconds;
  report.cost_seconds = prospect.cost_seconds;
  if (prospect.is_worth_it) {
    report.moved_objects = prospect.after.moved_objects;
    report.predicted_max_seconds = prospect.after.max_seconds;
    order_moves(placement::moves_by_rank(loads, graph, placement), report);
  }
}

void Phases::leave_recording() {
  if (recorder_ == nullptr || has_finished_recording_.exchange(true)) return;
  // Neither load models nor the program's code are asked: another thread may be inside them.
  placement::PhaseLoads rest;
  space_.end_load_phase([&](const mobile::ResidentView& object) {
    rest.objects.push_back(object.id.value());
    rest.seconds.push_back(object.record.phase_seconds * speed_);
    rest.bytes.push_back(object.record.packed_bytes);
  });
  rest.calls = calls_.take();
  if (std::ranges::any_of(rest.seconds, [](double s) { return s > 0; })) recorder_->add(rest);
  recorder_->write(job_.text());
}

void Phases::finish_recording() {
  if (recorder_ == nullptr || has_finished_recording_.exchange(true)) return;
  // What came after the last boundary; all of a program that has none.
  const placement::RankLoads rest = take_loads().told;
  if (std::ranges::any_of(rest.of.seconds, [](double s) { return s > 0; })) recorder_->add(rest.of);
  recorder_->write(job_.text());
}

void Phases::order_moves(const std::vector<std::vector<placement::ObjectNote>>& moves,
                         const PhaseReport& report) {
  const Order order{placement::moves_of_all(moves, report.gain_seconds, report.cost_seconds),
                    report.expected_imbalance()};
  for (std::size_t r = 0; r < moves.size(); ++r) {
    if (moves[r].empty()) continue;
    core::Packer packer = space_.messenger().begin();
    core::pack(packer, order);
    placement::pack_list<placement::ObjectNote>(packer, moves[r]);
    space_.messenger().post(rank_at(r), am::constant_handler_id("roam.phase"), std::move(packer),
                            true);
  }
}

void Phases::on_moves(void* self, am::Incoming&& message) {
  auto& here = *static_cast<Phases*>(self);
  core::Unpacker bytes(message.payload());
  const auto order = core::unpack<Order>(bytes);
  const auto notes = placement::unpack_list<placement::ObjectNote>(bytes);
  for (const placement::ObjectNote& note : notes)
    placement::check_note(note, here.space_.messenger().size());
  here.move(notes, order.all, order.imbalance);
}

Task<PhaseReport> Phases::decide_together(placement::RankLoads loads, placement::LoadTotals totals,
                                          PhaseReport report) {
  placement::RankShare share;
  share.rank = space_.rank();
  share.size = space_.messenger().size();
  share.capacity = loads.capacity;
  share.fixed_seconds = loads.background_seconds;
  share.totals = totals;
  for (std::size_t i = 0; i < loads.of.objects.size(); ++i) {
    share.objects.push_back({loads.of.objects[i], loads.of.seconds[i], loads.of.bytes[i],
                             space_.rank().value(), space_.rank().value()});
  }
  const auto strategy = chosen_->kind->distribute(chosen_->parameters, std::move(share));
  co_await steps_->run(*strategy);
  const placement::DistributedStrategy::Result result = strategy->result();
  const PhaseOutlook own = outlook_of(result);
  const PhaseOutlook outlook = co_await collectives_.allreduce<JoinOutlooks>(own);
  report.gain_seconds = report.expected_max_seconds - outlook.max_seconds;
  report.cost_seconds = outlook.cost_seconds;
  if (report.gain_seconds > report.cost_seconds || chosen_->kind->moves_without_gain) {
    report.moved_objects = outlook.moved_objects;
    report.predicted_max_seconds = outlook.max_seconds;
    move(result.moves,
         {report.gain_seconds, report.cost_seconds, outlook.moved_seconds, outlook.moved_objects},
         report.expected_imbalance());
  }
  co_return report;
}

PhaseOutlook Phases::outlook_of(const placement::DistributedStrategy::Result& result) const {
  PhaseOutlook outlook{};
  outlook.max_seconds = result.work_seconds / (speed_ * space_.engine().workers());
  outlook.moved_objects = result.moves.size();
  const double latency = balancer_.round_trip();
  outlook.cost_seconds = latency;
  for (const placement::ObjectNote& note : result.moves) {
    outlook.moved_seconds += note.seconds;
    outlook.cost_seconds += balancer_.predicted_move_seconds(note.bytes) - latency;
  }
  if (result.arriving_objects > 0) {
    const std::uint64_t mean_bytes = result.arriving_bytes / result.arriving_objects;
    outlook.cost_seconds += static_cast<double>(result.arriving_objects) *
                            (balancer_.predicted_move_seconds(mean_bytes) - latency);
  }
  return outlook;
}

void Phases::move(const std::vector<placement::ObjectNote>& notes, const placement::MovesOfAll& all,
                  double imbalance) {
  std::array<char, 64> reason{};
  std::snprintf(reason.data(), reason.size(), "%s: imbalance %.3g in phase %u",
                chosen_->kind->name.c_str(), imbalance, phase_);
  for (const placement::ObjectNote& note : notes) {
    Decision decision = decision_of(note, all);
    decision.reason = reason.data();
    if (!balancer_.move(std::move(decision))) ++not_started_;
  }
}

}  // namespace roam::balance
