// SPDX-License-Identifier: Apache-2.0
// The particle-in-cell benchmark of the Parallel Research Kernels as a flow program: a collection
// of patches, and two of the particles that leave them. How far particles move at most is known,
// hence how often they are passed on, and the program never waits within a phase. At the ends of
// phases patches move between ranks.
#include <cereal/types/array.hpp>
#include <roam/flow/flow.hpp>
#include <roam/roam.hpp>
#include <utility>
#include <vector>

#include "patch.hpp"
#include "report.hpp"
#include "settings.hpp"
#include "support/balance_summary.hpp"

namespace prk_pic {

namespace {

namespace flow = roam::flow;

/// Time to move a particle on a simulated machine; about as measured on the machine of
/// docs/performance.md.
constexpr roam::Duration particle_time = std::chrono::nanoseconds(30);

using Leaving = flow::Out<Particles>;

void move(Patch& patch, Leaving low, Leaving high, int out, bool is_simulated) {
  if (is_simulated) roam::here().compute(particle_time * static_cast<std::int64_t>(patch.size()));
  Migrants others = patch.move(out);
  *low = std::move(others.low);
  *high = std::move(others.high);
}

/// Takes the particles that move towards this patch from both sides.
void pass(Patch& patch, const Particles& below, const Particles& above, Leaving low, Leaving high,
          int out) {
  Migrants others;
  patch.take(below, out, others);
  patch.take(above, out, others);
  *low = std::move(others.low);
  *high = std::move(others.high);
}

/// Does the same where no particle has to go on.
void arrive(Patch& patch, const Particles& below, const Particles& above) {
  Migrants none;
  patch.take(below, nowhere, none);
  patch.take(above, nowhere, none);
}

/// The flow program's collections, and the operations on them.
class Grid {
 public:
  Grid(flow::Flow& fl, const Problem& problem, bool is_simulated)
      : fl_(fl),
        is_simulated_(is_simulated),
        patches_(fl.collection<Patch>(roam::Index<2>{problem.patches[0], problem.patches[1]})
                     .named("patches")),
        low_(fl.collection<Particles>(patches_.extent()).named("migrants down")),
        high_(fl.collection<Particles>(patches_.extent()).named("migrants up")),
        population_(fl.data<Population>().named("population")) {
    for (int d = 0; d < 2; ++d)
      hops_.insert(hops_.end(), static_cast<std::size_t>(problem.hops(d)), d);
    fl.work([](flow::Out<Population> all, const Problem& of) { *all = Population(of); },
            population_, problem);
    fl.for_each(
        {.name = "start"},
        [](flow::Out<Patch> patch, const Population& all, roam::Index<2> at, const Problem& of) {
          *patch = Patch(of, all, {at[0], at[1]});
        },
        patches_.own(), population_, patches_.index(), problem);
  }

  void step() {
    fl_.for_each<&move>(patches_.own(), low_.own(), high_.own(),
                        hops_.empty() ? nowhere : hops_.front(), is_simulated_);
    for (std::size_t i = 0; i < hops_.size(); ++i) {
      const auto below = (hops_[i] == 0 ? high_.at(-1, 0) : high_.at(0, -1)).periodic();
      const auto above = (hops_[i] == 0 ? low_.at(1, 0) : low_.at(0, 1)).periodic();
      if (i + 1 < hops_.size()) {
        fl_.for_each<&pass>(patches_.own(), below, above, low_.own(), high_.own(), hops_[i + 1]);
      } else {
        fl_.for_each<&arrive>(patches_.own(), below, above);
      }
    }
  }

  /// Compares all particles with the analytic solution after so many steps.
  [[nodiscard]] roam::Task<Found> check(std::int64_t steps) {
    const auto found = fl_.data<Found>();
    fl_.for_each([](const Patch& patch, const Population& all, std::int64_t count,
                    flow::Reduce<Found, std::plus<>> sum) { sum(patch.check(all, count)); },
                 patches_.own(), population_, steps, found);
    co_return co_await found.get();
  }

 private:
  flow::Flow& fl_;
  const bool is_simulated_;
  std::vector<int> hops_;  // the direction of each time that particles are passed on
  flow::Collection<Patch, 2> patches_;
  // What leaves to each side is a collection of its own: only that is sent to the neighbour there.
  flow::Collection<Particles, 2> low_;
  flow::Collection<Particles, 2> high_;
  flow::Handle<Population> population_;
};

roam::Task<> run(roam::Runtime& rt, const Settings& settings) {
  const Problem& problem = settings.problem;
  flow::Flow fl(rt);
  Grid grid(fl, problem, rt.is_simulated());
  grid.step();  // to warm up, as the benchmark does
  co_await fl.done();
  co_await rt.barrier();
  const roam::Instant begin = rt.now();
  support::BalanceSummary balance;
  for (std::int64_t step = 1; step <= problem.steps; ++step) {
    grid.step();
    if (step % settings.phase_steps != 0 || step == problem.steps) continue;
    balance.note(co_await fl.phase());
  }
  co_await fl.done();
  co_await rt.barrier();
  Outcome outcome;
  outcome.seconds = roam::seconds(rt.now() - begin);
  outcome.found = co_await grid.check(problem.steps + 1);
  outcome.ranks = rt.size();
  require_right(problem, outcome.found);
  if (rt.rank() != 0) co_return;
  print(problem, outcome);
  balance.print("patches");
}

}  // namespace

}  // namespace prk_pic

int main(int argc, char** argv) {
  return roam::main(argc, argv, prk_pic::read_settings, prk_pic::run);
}
