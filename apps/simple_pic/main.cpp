// SPDX-License-Identifier: Apache-2.0
// Particles that move through a periodic box of patches, as a flow program: DARMA's SimplePIC. Each
// step moves all particles and then passes those that have left a patch on until all are in place;
// at the ends of phases, elements of the collection of patches move between ranks. At the end every
// particle is compared with the position that follows from its number.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <roam/flow/flow.hpp>
#include <roam/roam.hpp>
#include <string>

#include "patch.hpp"

namespace simple_pic {

namespace {

namespace flow = roam::flow;
using Left = flow::Reduce<std::int64_t, std::plus<>>;

struct Settings {
  Box box;
  int steps = 40;
  int phase_steps = 10;
  bool is_reversed = false;
};

/// Time to move a particle on a simulated machine; about as measured on the machine of
/// docs/performance.md.
constexpr roam::Duration particle_time = std::chrono::nanoseconds(40);

int read_settings(int argc, char** argv, Settings& settings) {
  CLI::App app(
      "Particles that stream through a periodic box, as a flow program.\nRoam's own options are "
      "listed by --roam-help.");
  app.add_option("--patches", settings.box.patches, "patches, each way")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--cells", settings.box.cells, "cells of a patch, each way")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--per-cell", settings.box.per_cell, "particles of a cell, on average")
      ->check(CLI::Range(4, 1000))
      ->capture_default_str();
  app.add_flag("--imbalanced", settings.box.is_imbalanced,
               "four fifths of the particles begin in the first fifth of the box");
  app.add_option("--steps", settings.steps, "steps")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--phase-steps", settings.phase_steps, "steps after which a phase ends")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_flag("--reverse", settings.is_reversed,
               "go back to the beginning from half of the steps");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int status = app.exit(error);
    return status == 0 ? 0 : 2;
  }
  return -1;
}

struct Outcome {
  Found found;
  std::int64_t migrants = 0;
  int most_rounds = 0;  ///< the most rounds of passing particles on in one step
  double first_imbalance = 0;
  double last_imbalance = 0;
  std::uint64_t moved = 0;
};

void start(flow::Out<Patch> patch, roam::Index<3> at, Box box) { *patch = Patch(box, at); }

void move(Patch& patch, flow::Out<Migrants> out, roam::Index<3> at, Box box, int sign, Left left) {
  roam::here().compute_if_simulated(particle_time * static_cast<std::int64_t>(patch.size()));
  *out = patch.move(box, at, sign);
  left(out->count());
}

/// Takes the particles that have left the six neighbours towards this patch.
void take(Patch& patch, const Migrants& west, const Migrants& east, const Migrants& south,
          const Migrants& north, const Migrants& below, const Migrants& above,
          flow::Out<Migrants> out, roam::Index<3> at, Box box, Left left) {
  patch.take(west.through[1], box, at, *out);
  patch.take(east.through[0], box, at, *out);
  patch.take(south.through[3], box, at, *out);
  patch.take(north.through[2], box, at, *out);
  patch.take(below.through[5], box, at, *out);
  patch.take(above.through[4], box, at, *out);
  left(out->count());
}

roam::Task<Outcome> stream(flow::Flow& fl, const Settings& settings) {
  const Box box = settings.box;
  const roam::Index<3> extent{box.patches, box.patches, box.patches};
  const auto patches = fl.collection<Patch>(extent).named("patches");
  const auto out = fl.collection<Migrants>(extent).named("migrants");
  const auto left = fl.data<std::int64_t>().named("left");
  fl.for_each<&start>(patches.own(), patches.index(), box);
  Outcome outcome;
  std::int64_t at_step = 0;
  for (int step = 0; step < settings.steps; ++step) {
    const int sign = settings.is_reversed && step >= settings.steps / 2 ? -1 : 1;
    at_step += sign;
    fl.for_each<&move>(patches.own(), out.own(), patches.index(), box, sign, left);
    int rounds = 0;
    for (std::int64_t count = co_await left.get(); count > 0; count = co_await left.get()) {
      if (rounds++ == 0) outcome.migrants += count;
      fl.for_each<&take>(patches.own(), out.at(-1, 0, 0).periodic(), out.at(1, 0, 0).periodic(),
                         out.at(0, -1, 0).periodic(), out.at(0, 1, 0).periodic(),
                         out.at(0, 0, -1).periodic(), out.at(0, 0, 1).periodic(), out.own(),
                         patches.index(), box, left);
    }
    outcome.most_rounds = std::max(outcome.most_rounds, rounds);
    if ((step + 1) % settings.phase_steps != 0) continue;
    const roam::balance::PhaseReport report = co_await fl.phase();
    if (report.phase == 0) outcome.first_imbalance = report.imbalance();
    outcome.last_imbalance = report.imbalance();
    outcome.moved += report.moved_objects;
  }
  const auto found = fl.data<Found>();
  fl.for_each([](const Patch& patch, roam::Index<3> at, Box of, std::int64_t steps,
                 flow::Reduce<Found, std::plus<>> sum) { sum(patch.check(of, at, steps)); },
              patches.own(), patches.index(), box, at_step, found);
  outcome.found = co_await found.get();
  co_return outcome;
}

roam::Task<> run(roam::Runtime& rt, const Settings& settings) {
  const roam::Instant begin = rt.now();
  flow::Flow fl(rt);
  const Outcome outcome = co_await stream(fl, settings);
  const double seconds = roam::seconds(rt.now() - begin);
  if (rt.rank() != 0) co_return;
  const std::uint64_t particles = settings.box.particles();
  if (outcome.found.misplaced > 0 || outcome.found.particles != particles ||
      outcome.found.ids != particles * (particles - 1) / 2)
    throw roam::Error("particles are not where their numbers say");
  std::printf(
      "%llu particles, %d steps: all of them where they must be; %lld migrants, at most %d "
      "rounds\n",
      static_cast<unsigned long long>(particles), settings.steps,
      static_cast<long long>(outcome.migrants), outcome.most_rounds);
  std::printf("%.4f s, imbalance %.2f at first, %.2f at last, %llu patches moved\n", seconds,
              outcome.first_imbalance, outcome.last_imbalance,
              static_cast<unsigned long long>(outcome.moved));
}

}  // namespace

}  // namespace simple_pic

int main(int argc, char** argv) {
  return roam::main(argc, argv, simple_pic::read_settings, simple_pic::run);
}
