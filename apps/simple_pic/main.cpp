// SPDX-License-Identifier: Apache-2.0
// Particles that move through a periodic box of patches, as a flow program: DARMA's SimplePIC. Each
// step moves all particles and then passes those that have left a patch on until all are in place;
// at the ends of phases, elements of the collection of patches move between ranks. At the end every
// particle is compared with the position that follows from its number.
#include <algorithm>
#include <cereal/types/array.hpp>
#include <roam/flow/flow.hpp>
#include <roam/roam.hpp>

#include "patch.hpp"
#include "settings.hpp"
#include "support/balance_summary.hpp"

namespace simple_pic {

namespace {

namespace flow = roam::flow;
using Left = flow::Reduce<std::int64_t, std::plus<>>;

/// Time to move a particle on a simulated machine; about as measured on the machine of
/// docs/performance.md.
constexpr roam::Duration particle_time = std::chrono::nanoseconds(40);

struct Outcome {
  Streamed streamed;
  support::BalanceSummary balance;
};

void start(flow::Out<Patch> patch, roam::Index<3> at, const Box& box) {
  *patch = Patch(box, {at[0], at[1], at[2]});
}

void move(Patch& patch, flow::Out<Migrants> out, int sign, bool is_simulated, Left left) {
  if (is_simulated) roam::here().compute(particle_time * static_cast<std::int64_t>(patch.size()));
  *out = patch.move(sign);
  left(out->count());
}

/// Takes the particles that have left the six neighbours towards this patch.
void take(Patch& patch, const Migrants& west, const Migrants& east, const Migrants& south,
          const Migrants& north, const Migrants& below, const Migrants& above,
          flow::Out<Migrants> out, Left left) {
  patch.take(west.through[1], *out);
  patch.take(east.through[0], *out);
  patch.take(south.through[3], *out);
  patch.take(north.through[2], *out);
  patch.take(below.through[5], *out);
  patch.take(above.through[4], *out);
  left(out->count());
}

roam::Task<Outcome> stream(roam::Runtime& rt, flow::Flow& fl, const Settings& settings) {
  const Box& box = settings.box;
  const bool is_simulated = rt.is_simulated();
  const roam::Index<3> extent{box.patches[0], box.patches[1], box.patches[2]};
  const auto patches = fl.collection<Patch>(extent).named("patches");
  const auto out = fl.collection<Migrants>(extent).named("migrants");
  const auto left = fl.data<std::int64_t>().named("left");
  fl.for_each<&start>(patches.own(), patches.index(), box);
  co_await fl.done();
  co_await rt.barrier();
  const roam::Instant begin = rt.now();
  Outcome outcome;
  std::int64_t at_step = 0;
  for (int step = 0; step < settings.steps; ++step) {
    const int sign = settings.sign_of(step);
    at_step += sign;
    fl.for_each<&move>(patches.own(), out.own(), sign, is_simulated, left);
    int rounds = 0;
    for (std::int64_t count = co_await left.get(); count > 0; count = co_await left.get()) {
      if (rounds++ == 0) outcome.streamed.migrants += count;
      fl.for_each<&take>(patches.own(), out.at(-1, 0, 0).periodic(), out.at(1, 0, 0).periodic(),
                         out.at(0, -1, 0).periodic(), out.at(0, 1, 0).periodic(),
                         out.at(0, 0, -1).periodic(), out.at(0, 0, 1).periodic(), out.own(), left);
    }
    outcome.streamed.most_rounds = std::max(outcome.streamed.most_rounds, rounds);
    if ((step + 1) % settings.phase_steps != 0 || step + 1 == settings.steps) continue;
    outcome.balance.note(co_await fl.phase());
  }
  co_await fl.done();
  co_await rt.barrier();
  outcome.streamed.seconds = roam::seconds(rt.now() - begin);
  const auto found = fl.data<Found>();
  fl.for_each([](const Patch& patch, const Box& of, std::int64_t steps,
                 flow::Reduce<Found, std::plus<>> sum) { sum(patch.check(of, steps)); },
              patches.own(), box, at_step, found);
  outcome.streamed.found = co_await found.get();
  co_return outcome;
}

roam::Task<> run(roam::Runtime& rt, const Settings& settings) {
  flow::Flow fl(rt);
  const Outcome outcome = co_await stream(rt, fl, settings);
  if (rt.rank() != 0) co_return;
  report(settings, outcome.streamed);
  outcome.balance.print("patches");
}

}  // namespace

}  // namespace simple_pic

int main(int argc, char** argv) {
  return roam::main(argc, argv, simple_pic::read_settings, simple_pic::run);
}
