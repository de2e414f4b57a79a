// SPDX-License-Identifier: Apache-2.0
#include "roam/balance/phases.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "roam/balance/registry.hpp"
#include "roam/core/error.hpp"

namespace roam::balance {

namespace {

/// One object to move, as rank 0 orders it. Plain bytes.
struct Move {
  std::uint64_t object;
  double load_seconds;
  std::uint64_t bytes;
  std::int32_t to;
  std::int32_t padding;
};

/// What goes before the moves of a rank.
struct Order {
  double gain_seconds;
  double imbalance;
  std::uint64_t moves;
};

Rank rank_at(std::size_t index) { return Rank(static_cast<std::int32_t>(index)); }

}  // namespace

/// What a rank tells of its phase.
struct Phases::RankLoads {
  std::uint32_t workers = 1;
  double speed = 1;
  double phase_seconds = 0;
  std::vector<std::uint64_t> objects;
  std::vector<double> seconds;
  std::vector<std::uint64_t> bytes;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(workers, speed, phase_seconds, objects, seconds, bytes);
  }
};

Phases::Phases(Balancer& balancer, mobile::ObjectSpace& space, am::Collectives& collectives,
               mobile::Quiescence& quiescence, const PluginChoice& choice, double speed)
    : balancer_(balancer),
      space_(space),
      collectives_(collectives),
      quiescence_(quiescence),
      speed_(speed) {
  if (names_a_policy(choice)) return;
  kind_ = &find_kind<StrategyKind>("strategy", choice.name);
  strategy_ = make_strategy(choice, "--roam-balancer");
  space.messenger().bind("roam.phase", this, &Phases::on_moves);
}

Phases::~Phases() = default;

Task<PhaseReport> Phases::end_phase() {
  co_await quiescence_.wait();
  RankLoads mine = take_loads();
  const auto loads = co_await collectives_.gather(0, std::move(mine));
  PhaseReport report;
  if (space_.rank() == 0) report = decide(loads);
  // The moves are counted messages, and what they start are migrations.
  co_await quiescence_.wait();
  report = co_await collectives_.broadcast(0, report);
  ++phase_;
  // Ranks go on one after the other. The calls of the first ones wait at the others until these go
  // on, too: else they would keep them busy before they have let their neighbours and their own
  // main program know.
  space_.engine().hold_work();
  co_await collectives_.barrier();
  space_.engine().release_work();
  begin_ = space_.engine().now();
  co_return report;
}

Phases::RankLoads Phases::take_loads() {
  RankLoads loads;
  loads.workers = space_.engine().workers();
  loads.speed = speed_;
  loads.phase_seconds = seconds(space_.engine().now() - begin_);
  space_.end_load_phase([&](ObjectId id, const mobile::Record& record) {
    loads.objects.push_back(id.value());
    loads.seconds.push_back(record.phase_seconds * speed_);
    loads.bytes.push_back(record.packed_bytes);
  });
  return loads;
}

PhaseReport Phases::decide(const std::vector<RankLoads>& loads) {
  LoadGraph graph;
  Machine machine;
  machine.ranks = static_cast<std::int32_t>(loads.size());
  machine.workers_per_rank = 1;
  machine.speeds.clear();
  PhaseReport report;
  report.phase = phase_;
  for (std::size_t r = 0; r < loads.size(); ++r) {
    const RankLoads& part = loads[r];
    machine.speeds.push_back(part.speed * part.workers);
    report.seconds = std::max(report.seconds, part.phase_seconds);
    graph.seconds.insert(graph.seconds.end(), part.seconds.begin(), part.seconds.end());
    graph.bytes.insert(graph.bytes.end(), part.bytes.begin(), part.bytes.end());
    graph.rank.insert(graph.rank.end(), part.objects.size(), static_cast<std::int32_t>(r));
  }
  const Quality before = assess(graph, machine, graph.rank);
  report.objects = graph.size();
  report.max_load_seconds = report.predicted_max_seconds = before.max_seconds;
  report.mean_load_seconds = before.mean_seconds;
  if (strategy_ == nullptr || !balancer_.enabled() || loads.size() == 1) return report;

  const Instant start = space_.engine().now();
  check(graph, machine);
  const Placement placement = strategy_->place(graph, machine);
  // In virtual time, computing takes what it is said to take.
  if (space_.engine().clock().is_virtual()) {
    space_.engine().compute(
        from_seconds(kind_->seconds_per_object * static_cast<double>(graph.size())));
  }
  check(placement, graph, machine);
  const Quality after = assess(graph, machine, placement);
  report.gain_seconds = before.max_seconds - after.max_seconds;
  report.cost_seconds = cost_seconds(graph, placement, machine);
  if (report.gain_seconds > report.cost_seconds || kind_->moves_without_gain) {
    report.moved_objects = after.moved_objects;
    report.predicted_max_seconds = after.max_seconds;
    order_moves(loads, graph, placement, report);
  }
  report.decision_seconds = seconds(space_.engine().now() - start);
  return report;
}

/// Ranks move their objects at the same time; the one with most to move ends last.
double Phases::cost_seconds(const LoadGraph& graph, const Placement& placement,
                            const Machine& machine) const {
  std::vector<double> cost(static_cast<std::size_t>(machine.ranks));
  const double latency = balancer_.round_trip();
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (placement[i] == graph.rank[i]) continue;
    // Only the first waits for the answer.
    const double transfer = balancer_.predicted_move_seconds(graph.bytes[i]) - latency;
    cost[static_cast<std::size_t>(graph.rank[i])] += transfer;
    cost[static_cast<std::size_t>(placement[i])] += transfer;
  }
  return latency + *std::ranges::max_element(cost);
}

void Phases::order_moves(const std::vector<RankLoads>& loads, const LoadGraph& graph,
                         const Placement& placement, const PhaseReport& report) {
  std::size_t object = 0;
  for (std::size_t r = 0; r < loads.size(); ++r) {
    std::vector<Move> moves;
    for (std::size_t i = 0; i < loads[r].objects.size(); ++i, ++object) {
      if (placement[object] == static_cast<std::int32_t>(r)) continue;
      moves.push_back(
          {loads[r].objects[i], graph.seconds[object], graph.bytes[object], placement[object], 0});
    }
    if (moves.empty()) continue;
    core::Packer packer = space_.messenger().begin();
    core::pack(packer, Order{report.gain_seconds, report.imbalance(), moves.size()});
    packer.write(moves.data(), moves.size() * sizeof(Move));
    space_.messenger().post(rank_at(r), am::constant_handler_id("roam.phase"), std::move(packer),
                            true);
  }
}

void Phases::on_moves(void* self, am::Incoming&& message) {
  core::Unpacker bytes(message.payload());
  static_cast<Phases*>(self)->carry_out(bytes);
}

void Phases::carry_out(core::Unpacker& bytes) {
  const auto order = core::unpack<Order>(bytes);
  std::array<char, 64> reason{};
  std::snprintf(reason.data(), reason.size(), "%s: imbalance %.3g in phase %u", kind_->name.c_str(),
                order.imbalance, phase_);
  for (std::uint64_t i = 0; i < order.moves; ++i) {
    const auto move = core::unpack<Move>(bytes);
    if (move.to < 0 || move.to >= space_.messenger().size()) {
      throw MalformedMessage("a phase moves an object to no rank");
    }
    Decision decision;
    decision.to = Rank(move.to);
    decision.object = ObjectId(move.object);
    decision.load_seconds = move.load_seconds;
    decision.bytes = move.bytes;
    decision.gain_seconds = order.gain_seconds;
    decision.cost_seconds = balancer_.predicted_move_seconds(move.bytes);
    decision.reason = reason.data();
    balancer_.move(std::move(decision));
  }
}

}  // namespace roam::balance
