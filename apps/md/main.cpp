// SPDX-License-Identifier: Apache-2.0
// Molecular dynamics as a flow program: a collection of cells with their atoms, two of atoms that
// change cells, and two of positions that neighbours need. Along each axis, a cell's tasks use what
// the two neighbours have written for it.
#include <cereal/types/array.hpp>
#include <cstdio>
#include <roam/flow/flow.hpp>
#include <roam/roam.hpp>

#include "report.hpp"
#include "settings.hpp"

namespace md {

namespace {

namespace flow = roam::flow;
using Atoms = std::vector<Atom>;
using Positions = std::vector<Vec3>;
using Sum = flow::Reduce<StepResult, std::plus<>>;

void start(flow::Out<ListCell> cell, roam::Index<3> at, const ListModel& model, Sum sum) {
  *cell = ListCell(model, {at[0], at[1], at[2]});
  sum({.kinetic = kinetic_energy(cell->atoms())});
}

void give_temperature(ListCell& cell, const ListModel& model, const StepResult& sum) {
  cell.scale_velocities(model.velocity_factor(sum.kinetic));
}

/// Sends atoms that have left the cell along an axis, after those that have come along the axis
/// before have been taken in.
void move_atoms(ListCell& cell, const Atoms& from_lower, const Atoms& from_upper,
                flow::Out<Atoms> down, flow::Out<Atoms> up, const ListModel& model, int axis) {
  if (axis > 0) cell.enter({from_lower, from_upper});
  Sides<Atom> leaving = cell.leave(model, static_cast<std::size_t>(axis));
  *down = std::move(leaving.lower);
  *up = std::move(leaving.upper);
}

/// Takes in the last atoms that have come, and sends the first ghosts.
void settle(ListCell& cell, const Atoms& from_lower, const Atoms& from_upper,
            flow::Out<Positions> down, flow::Out<Positions> up, const ListModel& model) {
  cell.enter({from_lower, from_upper});
  Sides<Vec3> ghosts = cell.choose_ghosts(model, 0);
  *down = std::move(ghosts.lower);
  *up = std::move(ghosts.upper);
}

/// Takes the ghosts that have come along the axis before, and sends ghosts along this one: new ones
/// or new positions of the same.
void pass_ghosts(ListCell& cell, const Positions& from_lower, const Positions& from_upper,
                 flow::Out<Positions> down, flow::Out<Positions> up, const ListModel& model,
                 int axis, bool are_new) {
  const auto d = static_cast<std::size_t>(axis);
  cell.take_ghosts(d - 1, {from_lower, from_upper});
  Sides<Vec3> ghosts = are_new ? cell.choose_ghosts(model, d) : cell.ghosts(model, d);
  *down = std::move(ghosts.lower);
  *up = std::move(ghosts.upper);
}

/// Ends a step and begins the next one, up to the positions that neighbours need if the lists
/// remain.
void step(ListCell& cell, const Positions& from_lower, const Positions& from_upper,
          flow::Out<Positions> down, flow::Out<Positions> up, const ListModel& model, Sum sum,
          bool are_new, bool is_last, double pair_seconds) {
  cell.take_ghosts(2, {from_lower, from_upper});
  if (are_new) cell.build_list(model);
  StepResult result = cell.finish(model);
  if (pair_seconds > 0) {
    const double nanoseconds = 1e9 * pair_seconds * static_cast<double>(result.pairs);
    roam::here().compute_if_simulated(
        std::chrono::nanoseconds(static_cast<std::int64_t>(nanoseconds)));
  }
  if (!is_last) {
    cell.advance(model);
    Sides<Vec3> ghosts = cell.ghosts(model, 0);
    *down = std::move(ghosts.lower);
    *up = std::move(ghosts.upper);
    result.moved_squared = cell.moved_squared();
  }
  sum(result);
}

/// The data of the program.
struct System {
  System(flow::Flow& flow, const ListModel& of)
      : fl(flow),
        extent{of.grid.extent[0], of.grid.extent[1], of.grid.extent[2]},
        model(fl.data(of)) {}

  flow::Flow& fl;
  roam::Index<3> extent;
  flow::Handle<ListModel> model;
  flow::Handle<StepResult> sum = fl.data<StepResult>().named("sum");
  flow::Collection<ListCell, 3> cells = fl.collection<ListCell>(extent).named("cells");
  flow::Collection<Atoms, 3> down = fl.collection<Atoms>(extent).named("atoms down");
  flow::Collection<Atoms, 3> up = fl.collection<Atoms>(extent).named("atoms up");
  flow::Collection<Positions, 3> low = fl.collection<Positions>(extent).named("ghosts down");
  flow::Collection<Positions, 3> high = fl.collection<Positions>(extent).named("ghosts up");

  /// What comes to a cell along an axis: from its lower neighbour what that has sent up, and vice
  /// versa.
  template <class T>
  static auto beside(const flow::Collection<T, 3>& sent, int axis, int side) {
    return sent.at(axis == 0 ? side : 0, axis == 1 ? side : 0, axis == 2 ? side : 0).periodic();
  }

  /// Issues the tasks that give atoms to the cells in which they are, and choose ghosts along x.
  void rearrange() const {
    for (int axis = 0; axis < 3; ++axis) {
      const int before = axis == 0 ? 0 : axis - 1;
      fl.for_each<&move_atoms>(cells.own(), beside(up, before, -1), beside(down, before, 1),
                               down.own(), up.own(), model, axis);
    }
    fl.for_each<&settle>(cells.own(), beside(up, 2, -1), beside(down, 2, 1), low.own(), high.own(),
                         model);
  }

  /// Issues the tasks from ghosts to forces.
  void compute(bool are_new, bool is_last, double pair_seconds) const {
    for (int axis = 1; axis < 3; ++axis) {
      fl.for_each<&pass_ghosts>(cells.own(), beside(high, axis - 1, -1), beside(low, axis - 1, 1),
                                low.own(), high.own(), model, axis, are_new);
    }
    fl.for_each<&step>(cells.own(), beside(high, 2, -1), beside(low, 2, 1), low.own(), high.own(),
                       model, sum, are_new, is_last, pair_seconds);
  }
};

struct Balance {
  double first = 0;
  double last = 0;
  std::uint64_t moved = 0;
};

roam::Task<Outcome> simulate(roam::Runtime& rt, flow::Flow& fl, const Settings& settings,
                             Balance& balance) {
  const double pair_seconds = rt.is_simulated() ? settings.pair_seconds : 0;
  const System system(fl, settings.model);
  Outcome outcome;
  outcome.ranks = rt.size();
  outcome.results.reserve(static_cast<std::size_t>(settings.steps) + 1);
  fl.for_each<&start>(system.cells.own(), system.cells.index(), system.model, system.sum);
  fl.for_each<&give_temperature>(system.cells.own(), system.model, system.sum);
  // Read by move_atoms before anything has been sent.
  fl.for_each([](flow::Out<Atoms>, flow::Out<Atoms>) {}, system.down.own(), system.up.own());
  roam::Instant begin{};
  for (std::int64_t step = 0; step <= settings.steps; ++step) {
    const bool are_new =
        step == 0 || lists_are_old(settings.model, outcome.results.back().moved_squared);
    if (are_new) {
      ++outcome.list_builds;
      system.rearrange();
    }
    system.compute(are_new, step == settings.steps, pair_seconds);
    outcome.results.push_back(co_await system.sum.get());
    if (step == 0) begin = rt.now();
    if (step == 0 || step % settings.phase_steps != 0 || step == settings.steps) continue;
    const roam::balance::PhaseReport phase = co_await fl.phase();
    if (phase.phase == 0) balance.first = phase.imbalance();
    balance.last = phase.imbalance();
    balance.moved += phase.moved_objects;
  }
  outcome.seconds = roam::seconds(rt.now() - begin);
  const auto summary = fl.data<Summary>();
  fl.for_each(
      [](const ListCell& cell, flow::Reduce<Summary, std::plus<>> all) { all(summary_of(cell)); },
      system.cells.own(), summary);
  outcome.summary = co_await summary.get();
  if (!needs_snapshot(settings)) co_return outcome;
  const auto snapshot = fl.data<Snapshot>();
  fl.for_each(
      [](const ListCell& cell, flow::Reduce<Snapshot, std::plus<>> all) { all(snapshot_of(cell)); },
      system.cells.own(), snapshot);
  outcome.snapshot = co_await snapshot.get();
  co_return outcome;
}

roam::Task<> run(roam::Runtime& rt, const Settings& settings) {
  flow::Flow fl(rt);
  Balance balance;
  const Outcome outcome = co_await simulate(rt, fl, settings, balance);
  if (rt.rank() != 0) co_return;
  check(settings, outcome);
  report(settings, outcome);
  std::printf(
      "imbalance              %14.4f   in the first phase, %.4f in the last; %llu cells moved\n",
      balance.first, balance.last, static_cast<unsigned long long>(balance.moved));
}

}  // namespace

}  // namespace md

int main(int argc, char** argv) { return roam::main(argc, argv, md::read_settings, md::run); }
