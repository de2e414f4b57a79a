// SPDX-License-Identifier: Apache-2.0
// 50 objects among 7 ranks call each other while they are moved at random between any two events,
// over a network with random delays. Checks M2 (exactly once), M3 (order), M4 (access), M5/M6
// (state and calls survive moves and refusals), M8 (ends), M10 (quiescence) for many seeds.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "chaos_ledger.hpp"
#include "roam/core/random.hpp"
#include "roam/runtime/simulated_job.hpp"

namespace chaos {

constexpr std::int32_t rank_count = 7;
constexpr std::uint32_t object_count = 50;

struct World;
World* world = nullptr;  // of the simulation that runs now; the tests are single-threaded

/// Names the place of one call in its sender's order.
struct Stamp {
  std::uint64_t call = 0;    // in the ledger
  std::uint64_t stream = 0;  // one per handler execution
  std::uint32_t number = 0;  // among the stream's calls to this object
};

/// What an object has seen of one stream.
struct Seen {
  std::uint32_t calls = 0;
  std::uint32_t exclusive = 0;  // one more than the number of the last exclusive one
  template <class Archive>
  void serialize(Archive& archive) {
    archive(calls, exclusive);
  }
};

struct Node {
  std::uint32_t index = 0;
  std::uint64_t runs = 0;  // has to follow the ledger through all moves
  std::map<std::uint64_t, Seen> streams;

  void arrive(const Stamp& stamp, bool exclusive, std::uint32_t hops_left);
  void work(Stamp stamp, std::uint32_t hops_left) { arrive(stamp, true, hops_left); }
  void look(Stamp stamp, std::uint32_t hops_left) const {
    const_cast<Node*>(this)->arrive(stamp, false,
                                    hops_left);  // NOLINT: one simulated rank runs at a time
  }
  roam::Task<> ask(Stamp stamp, std::uint32_t whom);
  [[nodiscard]] std::uint64_t answer(std::uint64_t question) const { return question + index; }

  template <class Archive>
  void serialize(Archive& archive) {
    std::vector<std::pair<std::uint64_t, Seen>> flat(streams.begin(), streams.end());
    archive(index, runs, flat);
    streams = {flat.begin(), flat.end()};
  }
};

struct World {
  explicit World(std::uint64_t seed) : random(seed) {}
  roam::core::Random random;
  Ledger ledger;
  std::vector<roam::mobile_ptr<Node>> nodes = std::vector<roam::mobile_ptr<Node>>(object_count);
  std::vector<bool> ended = std::vector<bool>(object_count, false);
  std::uint64_t streams = 0;

  /// One sender issues a few calls to a few objects, some of them repeatedly.
  void burst(std::uint32_t calls, std::uint32_t hops_left) {
    const std::uint64_t stream = ++streams;
    std::map<std::uint32_t, std::uint32_t> numbers;
    for (std::uint32_t i = 0; i < calls; ++i) {
      const auto target = static_cast<std::uint32_t>(random.below(object_count));
      const std::uint32_t repeats = 1 + static_cast<std::uint32_t>(random.below(4));
      for (std::uint32_t k = 0; k < repeats; ++k) {
        roam::here().compute(
            roam::Duration(random.below(4000)));  // the object may move between two calls
        const Stamp stamp{ledger.issue(), stream, numbers[target]++};
        if (random.below(3) == 0) {
          nodes[target].send<&Node::look>(stamp, hops_left);
        } else {
          nodes[target].send<&Node::work>(stamp, hops_left);
        }
      }
    }
  }
};

void Node::arrive(const Stamp& stamp, bool exclusive, std::uint32_t hops_left) {
  roam::Runtime& rt = roam::here();
  const roam::Instant begin = rt.now();
  rt.compute(roam::Duration(world->random.below(3000)));
  world->ledger.ran(stamp.call, index, exclusive, begin, rt.now());
  if (++runs != world->ledger.count(index))
    world->ledger.violation("M5: state lost on object " + std::to_string(index));
  // Shared calls start in order, but two workers may come to this line in any order.
  Seen& seen = streams[stamp.stream];
  if (exclusive ? stamp.number != seen.calls : stamp.number < seen.exclusive) {
    world->ledger.violation("M3: object " + std::to_string(index) + " ran call " +
                            std::to_string(stamp.number) + " of a stream after " +
                            std::to_string(seen.calls) + " others");
  }
  ++seen.calls;
  if (exclusive) seen.exclusive = stamp.number + 1;
  if (hops_left > 0 && world->random.below(4) != 0) {
    world->burst(1 + static_cast<std::uint32_t>(world->random.below(2)), hops_left - 1);
  }
}

roam::Task<> Node::ask(Stamp stamp, std::uint32_t whom) {
  arrive(stamp, true, 0);
  const std::uint64_t question = world->random.below(1000);
  const std::uint64_t reply = co_await world->nodes[whom].call<&Node::answer>(question);
  if (reply != question + whom) world->ledger.violation("M2: wrong answer");
}

void create_nodes(roam::Runtime& rt) {
  for (std::uint32_t i = 0; i < object_count; ++i) {
    if (static_cast<std::int32_t>(i) % rank_count == rt.rank().value())
      world->nodes[i] = rt.create<Node>(i);
  }
}

roam::Task<> program(roam::Runtime& rt) {
  create_nodes(rt);
  co_await rt.quiescence();
  world->burst(3, 2);
  for (int i = 0; i < 2; ++i) {  // awaits go up in index: they cannot wait for each other
    const auto from = static_cast<std::uint32_t>(world->random.below(object_count - 1));
    const auto to =
        from + 1 + static_cast<std::uint32_t>(world->random.below(object_count - 1 - from));
    world->nodes[from].send<&Node::ask>(Stamp{world->ledger.issue(), ++world->streams, 0}, to);
  }
  co_await rt.quiescence();
  world->ledger.check_complete("after the first quiescence");
  co_await rt.quiescence();  // nobody starts the next part before all have looked
  if (rt.rank() == 3) {
    for (int i = 0; i < 3; ++i) {  // some objects end while others still call them
      const auto victim = world->random.below(object_count);
      world->nodes[victim].destroy();
      world->ended[victim] = true;
    }
  }
  world->burst(2, 1);
  co_await rt.quiescence();
  world->ledger.check_complete("after the second quiescence");
}

struct Outcome {
  std::vector<std::string> violations;
  std::uint64_t calls = 0;
  std::uint64_t moves = 0;
  std::uint64_t refused = 0;
  std::uint64_t forwarded = 0;
  std::uint64_t set_aside = 0;
  std::uint64_t events = 0;
  std::int64_t end_ns = 0;
};

roam::SimulatedJobOptions job_options(std::uint64_t seed) {
  roam::SimulatedJobOptions options;
  options.options.simulate = roam::Machine{};
  options.options.simulate->ranks = rank_count;
  options.options.simulate->workers_per_rank = 1 + static_cast<std::uint32_t>(seed % 3);
  options.options.seed = seed;
  options.options.max_hops = 1 + static_cast<std::uint32_t>(seed % 5);
  options.options.message_threshold_bytes =
      seed % 4 == 0 ? 256 : 4096;  // sometimes nearly everything is split-phase
  options.message_delay = roam::Duration(seed % 2 == 0 ? 20'000 : 2'000);
  options.reorder = seed % 5 == 0;
  options.shuffle_ties = true;
  options.step_jitter = roam::Duration(1 + seed % 2000);
  return options;
}

/// Interrupts the protocol between two of its steps, at random.
class Preemptions final : public roam::exec::SimChoices {
 public:
  explicit Preemptions(std::uint64_t seed) : random_(seed) {}
  Preemption preemption(std::uint32_t /*engine*/) override {
    if (random_.below(16) != 0) return {};
    return {1 + static_cast<std::uint32_t>(random_.below(12)), random_.below(2) == 0};
  }

 private:
  roam::core::Random random_;
};

Outcome simulate(std::uint64_t seed, bool plant_bug = false) {
  World this_world(seed);
  world = &this_world;
  Preemptions preemptions(seed + 1);
  roam::SimulatedJobOptions options = job_options(seed);
  options.choices = &preemptions;
  roam::SimulatedJob job(options);
  for (std::int32_t r = 0; r < rank_count; ++r) {
    roam::Runtime& rt = job.runtime(r);
    rt.on_dead_letter([](const std::string&) { world->ledger.dead_letter(); });
    rt.objects().set_admission([](roam::ObjectId, std::uint64_t) {
      return world->random.below(8) == 0 ? std::string("no room today") : std::string();
    });
    if (plant_bug) rt.objects().break_sequence_check_for_test();
  }
  // Every move makes several events, so moves are rationed: otherwise they would keep the job busy
  // for ever.
  const std::uint64_t calm = 4 + seed % 12;
  std::uint64_t moves_left = 400;
  job.set_interruption([&](std::uint64_t events) {
    if (events > 500'000) throw std::runtime_error("M10: the job does not come to its end");
    if (moves_left == 0 || this_world.random.below(calm) != 0) return;
    const auto node = this_world.nodes[this_world.random.below(object_count)];
    if (!node) return;
    --moves_left;
    const auto from = static_cast<std::int32_t>(this_world.random.below(rank_count));
    const auto to = static_cast<std::int32_t>(this_world.random.below(rank_count));
    job.runtime(from).objects().migrate(node.id(), to);
  });
  Outcome outcome;
  try {
    if (!job.run(&program)) this_world.ledger.violation(job.error());
  } catch (const std::runtime_error& error) {
    this_world.ledger.violation(error.what());
  }
  outcome.violations = this_world.ledger.violations();
  outcome.calls = this_world.ledger.issued();
  outcome.events = job.events();
  outcome.end_ns = job.now().count();
  for (std::int32_t r = 0; r < rank_count; ++r) {
    const auto stats = job.runtime(r).objects().stats();
    outcome.moves += stats.migrations_in;
    outcome.refused += stats.migrations_refused;
    outcome.forwarded += stats.calls_forwarded;
    outcome.set_aside += stats.calls_set_aside;
  }
  return outcome;
}

}  // namespace chaos

class Chaos : public ::testing::TestWithParam<int> {};

TEST_P(Chaos, M2_M6_M8_M10_hold_under_random_delays_and_migrations) {
  constexpr std::uint64_t seeds = 1000;
  std::uint64_t moves = 0;
  std::uint64_t refused = 0;
  std::uint64_t forwarded = 0;
  std::uint64_t set_aside = 0;
  for (std::uint64_t seed = static_cast<std::uint64_t>(GetParam()) * seeds;
       seed < (static_cast<std::uint64_t>(GetParam()) + 1) * seeds; ++seed) {
    const chaos::Outcome outcome = chaos::simulate(seed);
    for (const auto& violation : outcome.violations)
      ADD_FAILURE() << "seed " << seed << ": " << violation;
    ASSERT_TRUE(outcome.violations.empty()) << "first failing seed " << seed;
    moves += outcome.moves;
    refused += outcome.refused;
    forwarded += outcome.forwarded;
    set_aside += outcome.set_aside;
  }
  // The schedules must have been hard ones, or the test proves nothing.
  EXPECT_GT(moves, seeds * 50);
  EXPECT_GT(refused, seeds * 5);
  EXPECT_GT(forwarded, seeds * 20);
  EXPECT_GT(set_aside, seeds);
}
INSTANTIATE_TEST_SUITE_P(TenThousandSeeds, Chaos, ::testing::Range(0, 10));

TEST(ChaosHarness, a_planted_bug_is_caught) {
  constexpr int schedules = 60;
  int caught = 0;
  for (std::uint64_t seed = 0; seed < schedules; ++seed) {
    const chaos::Outcome outcome = chaos::simulate(seed, true);
    caught += std::any_of(outcome.violations.begin(), outcome.violations.end(),
                          [](const std::string& v) { return v.starts_with("M3"); });
  }
  EXPECT_GT(caught, schedules / 10)
      << "a skipped sequence check has to show as broken order in many schedules";
}

TEST(ChaosHarness, R1_the_same_seed_gives_the_same_run) {
  for (std::uint64_t seed = 100; seed < 110; ++seed) {
    const chaos::Outcome one = chaos::simulate(seed);
    const chaos::Outcome two = chaos::simulate(seed);
    EXPECT_EQ(one.events, two.events);
    EXPECT_EQ(one.end_ns, two.end_ns);
    EXPECT_EQ(one.moves, two.moves);
    EXPECT_NE(one.end_ns, chaos::simulate(seed + 1000).end_ns);
  }
}
