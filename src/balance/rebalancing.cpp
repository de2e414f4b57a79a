// SPDX-License-Identifier: Apache-2.0
#include "rebalancing.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

#include "roam/core/error.hpp"

namespace roam::balance {

namespace {

// The part of the promised gain in imbalance that must be reached for the promise to count as kept.
// Chosen: loads change in the meantime, and a decision that brings a quarter of what it promised
// was still right.
constexpr double least_kept_part = 0.25;

}  // namespace

Promise::Fate Promise::settle(double imbalance) {
  const double promised = imbalance_ - std::exchange(promised_, 0);
  const double got = std::exchange(imbalance_, 0) - imbalance;
  if (promised <= 0) return Fate::none;
  return got >= least_kept_part * promised ? Fate::kept : Fate::broken;
}

Rebalancing::Rebalancing(const RebalancedRank& rank, const std::vector<PhaseStrategy>& choices)
    : rank_(rank) {
  if (rank.network != nullptr) places_ = placement::ToldPlaces(*rank.network);
  for (const PhaseStrategy& one : choices) {
    const auto& kind = plugin::require<placement::StrategyKind>(one.choice.name);
    choices_.push_back({&kind, plugin::parameters_of(kind, one.choice),
                        placement::make_strategy(one.choice, "--roam-balancer"), one.most_objects,
                        one.least_waits, false});
    Choice& made = choices_.back();
    made.is_distributed =
        kind.distribute != nullptr &&
        (kind.least_ranks_to_distribute == nullptr ||
         rank.space.messenger().size() >= kind.least_ranks_to_distribute(made.parameters));
    uses_links_ = uses_links_ || kind.uses_links;
    uses_coordinates_ = uses_coordinates_ || kind.uses_coordinates;
  }
}

bool Rebalancing::may_distribute() const {
  return std::ranges::any_of(choices_, [](const Choice& one) {
    return one.is_distributed || one.strategy->parted() != nullptr;
  });
}

const Rebalancing::Choice* Rebalancing::choose(std::uint64_t objects, double waits) {
  lacks_calls_ = false;
  const auto fits = [&](const Choice& one) {
    if ((!one.is_distributed && objects > one.most_objects) || waits < one.least_waits)
      return false;
    if (!one.kind->uses_links || counts_calls_) return true;
    lacks_calls_ = true;
    return false;
  };
  const auto found = std::ranges::find_if(choices_, fits);
  chosen_ = found == choices_.end() ? nullptr : &*found;
  return chosen_;
}

bool Rebalancing::needs_calls_after(double waits) const {
  return std::ranges::any_of(choices_, [waits](const Choice& one) {
    return one.kind->uses_links && waits >= one.least_waits;
  });
}

placement::RankLoads Rebalancing::measured() {
  placement::RankLoads loads;
  loads.capacity = rank_.speed * rank_.space.engine().workers();
  loads.of.calls = calls_.take();
  return loads;
}

topology::Place Rebalancing::tell_place() {
  has_told_place_ = true;
  return rank_.location.place();
}

void Rebalancing::take_place(std::size_t rank, const topology::Place& place) {
  places_.take(rank, static_cast<std::size_t>(rank_.space.messenger().size()), place);
}

void Rebalancing::hear_places(const std::vector<topology::Place>& places) {
  has_heard_places_ = true;
  for (std::size_t r = 0; r < places.size(); ++r) take_place(r, places[r]);
}

placement::GatheredLoads Rebalancing::gathered(const std::vector<placement::RankLoads>& loads) {
  const bool with_links = chosen_->kind->uses_links;
  if (!with_links && rank_.network == nullptr) return gather(loads, false);
  return gather(loads, with_links, places_.ordered());
}

void Rebalancing::add(placement::RankLoads& loads, const mobile::ResidentView& object,
                      double seconds) const {
  loads.of.objects.push_back(object.id.value());
  loads.of.seconds.push_back(seconds);
  loads.of.bytes.push_back(object.record.packed_bytes);
  if (uses_coordinates_) loads.of.coordinates.push_back(coordinates_of(object));
}

Duration Rebalancing::time_at_work() const {
  const exec::Engine& engine = rank_.space.engine();
  Duration time{0};
  for (WorkerIndex w = 0; w < engine.workers(); ++w) {
    time += engine.stats(w).busy() + engine.stats(w).overhead();
  }
  return time - engine.lent_time();
}

Decided Rebalancing::decide(const std::vector<placement::RankLoads>& loads,
                            const placement::GatheredLoads& gathered, double max_seconds,
                            bool counts_communication, const LastingGain& lasting) const {
  return decided(chosen_->strategy->place(gathered.graph, gathered.machine), loads, gathered,
                 max_seconds, counts_communication, lasting);
}

Decided Rebalancing::decided(const placement::Placement& placement,
                             const std::vector<placement::RankLoads>& loads,
                             const placement::GatheredLoads& gathered, double max_seconds,
                             bool counts_communication, const LastingGain& lasting) const {
  Decided decided;
  decided.prospect = placement::prospect_of(
      placement, gathered, *chosen_->kind, max_seconds, rank_.host.round_trip_seconds(),
      [this](std::uint64_t bytes) { return rank_.host.move_seconds(bytes); }, counts_communication);
  placement::Prospect& prospect = decided.prospect;
  if (lasting) prospect.expect_for(lasting(prospect.gain_seconds));
  if (prospect.after.moved_objects > 0) {
    decided.moves = placement::moves_by_rank(loads, gathered, placement);
    decided.all =
        placement::moves_of_all(decided.moves, prospect.gain_seconds, prospect.cost_seconds);
  }
  return decided;
}

Duration Rebalancing::deciding_time(const placement::LoadGraph& graph) const {
  if (!rank_.space.engine().clock().is_virtual()) return Duration{0};
  const placement::StrategyKind& kind = *chosen_->kind;
  return from_seconds(kind.seconds_per_object * static_cast<double>(graph.size()) +
                      kind.seconds_per_link * static_cast<double>(graph.links.size()));
}

std::uint64_t Rebalancing::carry_out(const std::vector<placement::ObjectNote>& moves,
                                     const placement::MovesOfAll& all, double imbalance,
                                     std::string_view when) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g", imbalance);
  const std::string reason =
      chosen_->kind->name + ": imbalance " + text.data() + " in " + std::string(when);
  std::uint64_t not_started = 0;
  for (const placement::ObjectNote& note : moves) {
    if (Rank(note.to) == rank_.space.rank()) continue;
    Decision decision = decision_of(note, all);
    decision.reason = reason;
    if (!rank_.host.migrate(std::move(decision))) ++not_started;
  }
  return not_started;
}

std::array<double, 3> coordinates_of(const mobile::ResidentView& object) {
  const auto coordinates = object.type.functions().coordinates;
  if (coordinates == nullptr) {
    throw Error("the strategy needs the coordinates of all objects, and those of class " +
                std::string(object.type.name()) +
                " have none; give it std::array<double, 3> coordinates() const, or take another "
                "strategy (graph, greedy)");
  }
  return coordinates(object.object);
}

Decision decision_of(const placement::ObjectNote& note, const placement::MovesOfAll& all) {
  const double share = all.work_seconds > 0
                           ? note.seconds / all.work_seconds
                           : 1 / static_cast<double>(std::max<std::uint64_t>(all.objects, 1));
  Decision decision;
  decision.gain_seconds = share * all.gain_seconds;
  decision.cost_seconds = share * all.cost_seconds;
  decision.to = note.to;
  decision.object = ObjectId(note.object);
  decision.load_seconds = note.seconds;
  decision.bytes = note.bytes;
  return decision;
}

}  // namespace roam::balance
