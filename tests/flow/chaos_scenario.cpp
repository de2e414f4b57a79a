// SPDX-License-Identifier: Apache-2.0
#include "flow/chaos_scenario.hpp"

#include <string>
#include <vector>

#include "flow/flow_part.hpp"
#include "flow/random_program.hpp"
#include "roam/testing/check.hpp"

namespace roam::flow::chaos {

namespace {

using random_program::Shape;
using testing::check;

/// How large the random programs of a schedule are.
struct Size {
  int programs = 2;                  // one after the other
  std::uint32_t further_data = 4;    // besides 3: below this number
  std::uint32_t further_tasks = 14;  // likewise
};

Task<> program(Runtime& rt, std::uint64_t seed, const Size& size) {
  rt.on_error([](const std::string&) {});  // of what nobody awaits
  core::Random random(seed + static_cast<std::uint64_t>(rt.rank().value()));
  core::Random of_all(seed);
  bool may_fail = false;
  for (int i = 0; i < size.programs; ++i) {
    // Choices about collections and keys are the same on all ranks.
    const double kind = of_all.unit();
    if (kind < 0.8) random = core::Random(of_all());
    const auto run = [&](Flow& fl, const Shape& shape) {
      if (kind < 0.5) return random_program::run_collections(fl, shape);
      if (kind < 0.8) return random_program::run_keys(fl, shape, rt.rank().value(), rt.size());
      return random_program::run(fl, shape);
    };
    Shape shape;
    shape.seed = random();
    shape.data = 3 + static_cast<std::uint32_t>(random.below(size.further_data));
    shape.tasks = 3 + static_cast<std::uint32_t>(random.below(size.further_tasks));
    shape.depth = static_cast<std::uint32_t>(random.below(3));
    shape.failures = random.unit() < 0.3 ? 0.05 : 0;
    may_fail = may_fail || shape.failures > 0;
    shape.microseconds = random.unit() < 0.5 ? 5 : 0;
    shape.phases = random.unit() < 0.5 ? 0.25 : 0;
    shape.graphs = random.unit() < 0.5 ? 0.5 : 0;
    if (of_all.unit() < 0.2) {
      // Its values are not determined, but all of it ends and disturbs nothing else.
      Flow cancelled(rt);
      Shape other = shape;
      other.is_cancelled = true;
      other.seed = random();  // the seed of keys
      (void)co_await run(cancelled, other);
      check(cancelled.scope().core().unfinished() == 0, "F11: what is cancelled ends");
      may_fail = true;
    }
    Flow serial(rt, at_once);
    const std::vector<std::string> expected = co_await run(serial, shape);
    Flow fl(rt);
    const std::vector<std::string> found = co_await run(fl, shape);
    for (std::size_t k = 0; k < found.size(); ++k) {
      check(found[k] == expected[k], "F1: datum " + std::to_string(k) + " of program " +
                                         std::to_string(shape.seed) + " is " + found[k] +
                                         ", and line by line " + expected[k]);
    }
    check(found == expected, "F1: a flow program gives the bits of the program run line by line");
    check(fl.scope().core().unfinished() == 0, "no task is left when done() returns");
    check(fl.scope().core().copy_counts().held == 0, "F2: copies are gone when no task is left");
    check(fl.scope().core().held_bytes() == 0, "F6: no memory is held when no task is left");
  }
  co_await rt.quiescence();
  check(FlowPart::of(rt).exchange().unexpected() == 0, "F7: nothing is sent that nobody reads");
  // A reader that has failed does not count as having read.
  check(may_fail || FlowPart::of(rt).publications().kept() == 0,
        "F10: what all readers have fetched, or a phase has ended, is freed");
  check(rt.messenger().stats().messages_rejected == 0, "F9: what ranks tell each other is known");
  check(rt.objects().resident_count() == 0, "F9: a flow that is over leaves no objects");
}

testing::Scenario scenario_of(testing::Schedule& schedule, const Size& size) {
  const std::uint64_t seed = schedule.random();
  testing::Scenario scenario;
  scenario.program = [seed, size](Runtime& rt) { return program(rt, seed, size); };
  return scenario;
}

}  // namespace

testing::Scenario make_scenario(testing::Schedule& schedule) { return scenario_of(schedule, {}); }

testing::Scenario make_small_scenario(testing::Schedule& schedule) {
  return scenario_of(schedule, {.programs = 1, .further_data = 2, .further_tasks = 4});
}

testing::ExploreOptions explore_options() {
  testing::ExploreOptions options;
  options.ranks = {1, 4};
  options.workers = {1, 3};
  // Elements move at the ends of phases; objects moved by the harness contain none. With
  // refine_comm, ranks tell each other what was read.
  options.balancers = {{"none", {}},        {"rotate", {}},    {"random", {}},       {"refine", {}},
                       {"refine_comm", {}}, {"diffusion", {}}, {"work_stealing", {}}};
  options.configure = [](Options& job, core::Random& random) {
    if (random.unit() < 0.7)
      job.edit<FlowOptions>().window = 1 + static_cast<std::uint32_t>(random.below(10));
    if (random.unit() < 0.5) job.edit<FlowOptions>().window_bytes = 1 + random.below(1000);
    if (random.unit() < 0.5) job.edit<FlowOptions>().copy_bytes = random.below(300);
  };
  return options;
}

}  // namespace roam::flow::chaos
