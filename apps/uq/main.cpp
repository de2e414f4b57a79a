// SPDX-License-Identifier: Apache-2.0
// An ensemble of random problems as a flow program: tasks that solve for eight samples at a time,
// and others that add up statistics of the solutions.
#include <cereal/types/array.hpp>
#include <cereal/types/vector.hpp>
#include <cstdio>
#include <roam/flow/flow.hpp>
#include <roam/roam.hpp>

#include "uq/report.hpp"
#include "uq/settings.hpp"

namespace uq {

namespace {

namespace flow = roam::flow;

roam::Task<Outcome> sample(roam::Runtime& rt, flow::Flow& fl, const Settings& settings) {
  const Ensemble& ensemble = settings.ensemble;
  const double solve_seconds =
      rt.is_simulated() ? settings.element_seconds *
                              static_cast<double>(ensemble.elements * ensemble.samples_of_task())
                        : 0;
  Outcome outcome;
  outcome.ranks = rt.size();
  const roam::Instant begin = rt.now();
  const auto mesh = fl.data(Mesh(ensemble.field, ensemble.elements)).named("mesh");
  const auto statistics = fl.data(Statistics()).named("statistics");
  const auto solutions =
      fl.collection<std::vector<Pack>>(roam::Index<1>{ensemble.tasks}).named("solutions");
  while (outcome.rounds < ensemble.rounds) {
    fl.for_each(
        {.name = "solve"},
        [](flow::Out<std::vector<Pack>> out, roam::Index<1> task, const Mesh& common, Ensemble of,
           std::int64_t round, double seconds) {
          if (seconds > 0) {
            roam::here().compute_if_simulated(
                std::chrono::nanoseconds(static_cast<std::int64_t>(1e9 * seconds)));
          }
          *out = solve(of, common, round, task[0]);
        },
        solutions.own(), solutions.index(), mesh, ensemble, outcome.rounds, solve_seconds);
    fl.for_each(
        {.name = "add"},
        [](const std::vector<Pack>& packs, flow::Accumulate<Statistics, Merge> all) {
          all(statistics_of(packs));
        },
        solutions.own(), statistics);
    ++outcome.rounds;
    // Unless each round decides whether there is another one, they are issued without waiting.
    if (ensemble.tolerance > 0 && ensemble.is_enough(co_await statistics.get())) break;
  }
  outcome.statistics = co_await statistics.get();
  outcome.seconds = roam::seconds(rt.now() - begin);
  co_return outcome;
}

roam::Task<> run(roam::Runtime& rt, const Settings& settings) {
  flow::Flow fl(rt);
  const Outcome outcome = co_await sample(rt, fl, settings);
  if (rt.rank() != 0) co_return;
  check(settings, outcome);
  report(settings, outcome);
}

}  // namespace

}  // namespace uq

int main(int argc, char** argv) { return roam::main(argc, argv, uq::read_settings, uq::run); }
