// SPDX-License-Identifier: Apache-2.0
// M10: a job in which nothing can go on reports who waits for what; no other job ever does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "drawn_graph.hpp"
#include "roam/core/random.hpp"
#include "roam/mobile/detail/stuck_report.hpp"
#include "roam/roam.hpp"
#include "support/simulated.hpp"

namespace stuck_test {

namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

struct Part {
  std::uint64_t value = 0;
  roam::Task<std::uint64_t> ask(roam::mobile_ptr<Part> other, roam::mobile_ptr<Part> self) {
    if (!other) co_return value;
    auto reply = other.call<&Part::ask>(self, roam::mobile_ptr<Part>());
    co_return co_await reply;
  }
  void touch() { ++value; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(value);
  }
};

struct Ended {
  bool regularly = false;
  std::string report;
  roam::mobile::StuckFacts facts;
};

roam::SimulatedJobOptions job_options(std::int32_t ranks, std::uint64_t seed) {
  roam::SimulatedJobOptions options = roam::testing::simulated(ranks, seed, 32);
  options.message_delay = roam::Duration(20'000);
  options.shuffle_ties = true;
  return options;
}

Ended run(std::int32_t ranks, const roam::Runtime::Program& program, std::uint64_t seed = 1) {
  Ended ended;
  roam::SimulatedJob job(job_options(ranks, seed));
  roam::Runtime& first = job.runtime(0);
  first.quiescence_detector().set_stuck_handler([&](const roam::mobile::StuckFacts& facts) {
    EXPECT_TRUE(ended.facts.waits.empty()) << "reported twice";
    ended.facts = facts;
    first.abort(roam::mobile::describe(facts));
  });
  ended.regularly = job.run(program);
  ended.report = job.error();
  return ended;
}

TEST(Stuck, M10_objects_that_call_each_other_are_a_circle_in_words_and_drawn) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Ended ended = run(
        3,
        [](roam::Runtime& rt) -> roam::Task<> {
          if (rt.rank() == 0) {
            const auto a = rt.create<Part>();
            const auto b = rt.create<Part>();
            b.migrate(1);
            auto reply = a.call<&Part::ask>(b, a);
            (void)co_await reply;
          }
          co_await rt.quiescence();
        },
        seed);
    ASSERT_FALSE(ended.regularly);
    EXPECT_THAT(
        ended.report,
        AllOf(HasSubstr("no progress is possible"), HasSubstr("rank 0: main program waits"),
              HasSubstr("rank 1: object 0:2, handler &"),
              HasSubstr("(on rank 0, held by object 0:1, handler &"), HasSubstr("1 call queued"),
              HasSubstr("these wait for each other in a circle:")));
    const roam::testing::DrawnGraph graph(roam::mobile::draw(ended.facts));
    EXPECT_TRUE(graph.has_a_circle());
    EXPECT_TRUE(graph.is_red("object 0:1, handler"));
    EXPECT_TRUE(graph.is_red("object 0:2, handler"));
    EXPECT_TRUE(graph.is_red("object 0:1 ("));
    EXPECT_FALSE(graph.is_red("main program"));
    if (HasFailure()) return;
  }
}

roam::Task<> ask_each_other(roam::Runtime& rt) {
  if (rt.rank() == 0) {
    const auto a = rt.create<Part>();
    const auto b = rt.create<Part>();
    auto reply = a.call<&Part::ask>(b, a);
    (void)co_await reply;
  }
  co_await rt.quiescence();
}

TEST(Stuck, M10_the_graph_is_written_where_the_option_says) {
  roam::SimulatedJobOptions options = job_options(2, 1);
  {
    roam::SimulatedJob job(options);
    EXPECT_FALSE(job.run(&ask_each_other));
    EXPECT_THAT(job.error(), HasSubstr("(--roam-stuck-graph FILE draws this as a graph)"));
  }
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("roam_stuck_" + std::to_string(getpid()) + ".dot");
  options.options.stuck_graph = path.string();
  {
    roam::SimulatedJob job(options);
    EXPECT_FALSE(job.run(&ask_each_other));
    EXPECT_THAT(job.error(), HasSubstr("(drawn in " + path.string() + ")"));
  }
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_TRUE(roam::testing::DrawnGraph(text.str()).has_a_circle());
  std::filesystem::remove(path);
}

TEST(Stuck, M10_a_call_that_never_comes_is_named_with_its_number) {
  const Ended ended = run(2, [](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() == 0) {
      const auto part = rt.create<Part>();
      part.migrate(1);
      part.send<&Part::touch>();
      rt.objects().lose_a_call_for_test(part.id());
      part.send<&Part::touch>();
    }
    co_await rt.quiescence();
  });
  ASSERT_FALSE(ended.regularly);
  EXPECT_THAT(ended.report, AllOf(HasSubstr("rank 1: object 0:1: call &"),
                                  HasSubstr("number 2 from rank 0 waits for number 1")));
  EXPECT_THAT(ended.report, Not(HasSubstr("circle")));
  const roam::testing::DrawnGraph graph(roam::mobile::draw(ended.facts));
  EXPECT_TRUE(graph.red_edges.empty());
  EXPECT_THAT(roam::mobile::draw(ended.facts), HasSubstr("call 1 of rank 0 to object 0:1"));
}

std::uint64_t alone_with(roam::Gathered<Part> parts) { return parts.size(); }

roam::Task<std::uint64_t> ask_inside(roam::Gathered<Part> parts, roam::mobile_ptr<Part> other) {
  auto reply = other.call<&Part::ask>(parts.name(0), roam::mobile_ptr<Part>());
  co_return co_await reply;
}

TEST(Stuck, M10_a_multicast_that_waits_for_what_it_holds_is_a_circle) {
  const Ended ended = run(2, [](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() == 0) {
      const auto a = rt.create<Part>();
      const auto b = rt.create<Part>();
      const std::vector<roam::mobile_ptr<Part>> parts{a};
      auto reply = rt.multicast_call<&ask_inside>(parts, b);
      (void)co_await reply;
    }
    co_await rt.quiescence();
  });
  ASSERT_FALSE(ended.regularly);
  EXPECT_THAT(ended.report, HasSubstr("object 0:1 is held by multicast 0:1"));
  const roam::testing::DrawnGraph graph(roam::mobile::draw(ended.facts));
  EXPECT_TRUE(graph.has_a_circle()) << ended.report;
  EXPECT_TRUE(graph.is_red("multicast 0:1"));
  EXPECT_TRUE(graph.is_red("object 0:2, handler"));
}

roam::Task<std::uint64_t> gather_again(roam::Gathered<Part> parts, roam::mobile_ptr<Part> other) {
  const std::vector<roam::mobile_ptr<Part>> both{other, parts.name(0)};
  auto reply = roam::here().multicast_call<&alone_with>(both);
  co_return co_await reply;
}

TEST(Stuck, M10_a_multicast_that_awaits_another_one_of_its_objects_is_a_circle) {
  const Ended ended = run(2, [](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() == 1) {
      const auto a = rt.create<Part>();
      const auto b = rt.create<Part>();
      const std::vector<roam::mobile_ptr<Part>> parts{b};
      auto reply = rt.multicast_call<&gather_again>(parts, a);
      (void)co_await reply;
    }
    co_await rt.quiescence();
  });
  ASSERT_FALSE(ended.regularly);
  const roam::testing::DrawnGraph graph(roam::mobile::draw(ended.facts));
  EXPECT_TRUE(graph.has_a_circle()) << ended.report;
  EXPECT_TRUE(graph.is_red("multicast 1:1")) << ended.report;
  EXPECT_FALSE(graph.is_red("main program")) << ended.report;
}

struct Block {
  roam::Index<2> place;
  int value = 0;
  Block() = default;
  explicit Block(const roam::Index<2>& index) : place(index) {}
  int get() { return value; }
  roam::Task<> exchange(roam::mobile_ptr<Block> other) {
    auto reply = other.call<&Block::get>();
    value = co_await reply;
  }
  roam::Task<> exchange_with_the_first(roam::mobile_ptr<Block> first) {
    if (place != roam::Index<2>{0, 0}) co_return;
    auto reply = first.call<&Block::get>();
    value = co_await reply;
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(place, value);
  }
};

TEST(Stuck, M10_elements_are_named_as_in_the_program_and_the_remedy_is_told) {
  const Ended ended = run(2, [](roam::Runtime& rt) -> roam::Task<> {
    const roam::Index<2> extent{2, 2};
    const auto grid = co_await rt.create_collection<Block>(extent, roam::Placement::block());
    if (rt.rank() == 0) {
      const auto first = grid[{0, 0}];
      const auto second = grid[{1, 1}];
      first.send<&Block::exchange>(second);
      second.send<&Block::exchange>(first);
    }
    co_await rt.quiescence();
  });
  ASSERT_FALSE(ended.regularly);
  EXPECT_THAT(ended.report,
              AllOf(ContainsRegex("rank 0: [a-z_:{}() ]*Block \\(0, 0\\) of collection "),
                    ContainsRegex("from [a-z_:{}() ]*Block \\(1, 1\\) of collection "),
                    ContainsRegex("on rank 0, held by [a-z_:{}() ]*Block \\(0, 0\\)"),
                    HasSubstr("roam::without_access(")));
  EXPECT_THAT(ended.report, Not(HasSubstr("object 0:")));
  EXPECT_TRUE(roam::testing::DrawnGraph(roam::mobile::draw(ended.facts)).is_red("Block (1, 1)"));
}

TEST(Stuck, M10_what_a_collection_runs_is_named_as_the_program_has_called_it) {
  const Ended ended = run(2, [](roam::Runtime& rt) -> roam::Task<> {
    const roam::Index<2> extent{2, 2};
    roam::collection<Block, 2> grid;
    if (rt.rank() == 0)
      grid = co_await rt.create_collection<Block>(extent, roam::Placement::block());
    if (rt.rank() == 0) {
      auto phase = grid.for_all<&Block::exchange_with_the_first>(grid[{0, 0}]);
      auto sum = grid.reduce<&Block::get, std::plus<>>();
      co_await phase;
    }
    co_await rt.quiescence();
  });
  ASSERT_FALSE(ended.regularly);
  EXPECT_THAT(
      ended.report,
      AllOf(ContainsRegex("rank 0: [a-z_:{}() ]*Block \\(0, 0\\), handler for_all<&"
                          "[a-z_:{}() ]*Block::exchange_with_the_first> waits"),
            HasSubstr("main program waits for the reply of for_all<&"), Not(HasSubstr("Visit"))));
}

TEST(Stuck, M10_programs_that_wait_for_the_end_of_all_work_are_told_of_by_what_they_have_called) {
  const Ended ended = run(40, [](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() < 20) {
      co_await rt.phase();
    } else {
      co_await rt.barrier();
    }
  });
  ASSERT_FALSE(ended.regularly);
  EXPECT_THAT(
      ended.report,
      AllOf(HasSubstr(" and 12 more: main program waits in phase() for the end of all other "
                      "work\n"),
            HasSubstr("which call them in the same order\n")));
}

TEST(Stuck, M10_collective_calls_of_the_runtime_bear_the_name_of_what_the_program_has_called) {
  const Ended ended = run(2, [](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() == 0) co_await rt.phase();
    if (rt.rank() == 1) co_await rt.quiescence();
  });
  ASSERT_FALSE(ended.regularly);
  EXPECT_THAT(ended.report, AllOf(HasSubstr("waits for collective call 1, allreduce of phase()"),
                                  Not(HasSubstr("Overview"))));
}

TEST(Stuck, M10_an_epoch_that_nobody_closes_is_named) {
  const Ended ended = run(4, [](roam::Runtime& rt) -> roam::Task<> {
    roam::Epoch epoch(roam::Rank(2), 1);
    if (rt.rank() == 2) epoch = rt.begin_epoch();
    co_await rt.barrier();
    if (rt.rank() == 1) co_await rt.finished(epoch);
    co_await rt.quiescence();
  });
  ASSERT_FALSE(ended.regularly);
  EXPECT_THAT(ended.report,
              AllOf(HasSubstr("waits for the end of epoch 2:1"),
                    HasSubstr("rank 2: epoch 2:1 is not over: it was not closed, 0 handlers")));
}

TEST(Stuck, M10_long_lists_are_cut) {
  const Ended ended = run(2, [](roam::Runtime& rt) -> roam::Task<> {
    std::vector<roam::mobile_ptr<Part>> parts;
    for (int i = 0; i < 600; ++i) {
      parts.push_back(rt.create<Part>());
      rt.objects().lose_a_call_for_test(parts.back().id());
      parts.back().send<&Part::touch>();
    }
    co_await rt.quiescence();
  });
  ASSERT_FALSE(ended.regularly);
  EXPECT_THAT(ended.report, HasSubstr(" more\n"));
  EXPECT_LT(ended.report.size(), 10'000U);
  EXPECT_NO_THROW(roam::testing::DrawnGraph(roam::mobile::draw(ended.facts)));
}

/// Waits for a timer of its own.
class TimedWait final : public roam::exec::Suspension, public roam::exec::WaitList::Entry {
 public:
  TimedWait(roam::exec::Engine& engine, roam::Duration time, bool has_deadline)
      : engine_(engine), time_(time), has_deadline_(has_deadline) {}
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) {
    capture(handle);
    if (has_deadline_) engine_.waits().begin_deadline();
    engine_.waits().add(this);
    engine_.call_at(engine_.now() + time_, [this] {
      engine_.waits().remove(this);
      if (has_deadline_) engine_.waits().end_deadline();
      resume();
    });
  }
  void await_resume() const noexcept {}
  [[nodiscard]] std::string waits_for() const override { return "its time"; }
  [[nodiscard]] std::string who() const override { return "a patient one"; }

 private:
  roam::exec::Engine& engine_;
  roam::Duration time_;
  bool has_deadline_;
};

TEST(Stuck, M10_whoever_waits_with_a_deadline_is_not_stuck) {
  for (const bool has_deadline : {true, false}) {
    const Ended ended = run(3, [has_deadline](roam::Runtime& rt) -> roam::Task<> {
      if (rt.rank() == 1) {
        TimedWait wait(rt.engine(), std::chrono::milliseconds(200), has_deadline);
        co_await wait;
      }
      co_await rt.quiescence();
    });
    EXPECT_EQ(ended.regularly, has_deadline) << ended.report;
  }
}

// Handlers are slow, messages late, and ranks rest for long, but something is always under way.
void wander(std::uint32_t left, std::uint64_t seed) {
  if (left == 0) return;
  roam::core::Random random(seed);
  roam::Runtime& rt = roam::here();
  rt.compute(roam::Duration(static_cast<std::int64_t>(random.below(5'000'000))));
  rt.send<&wander>(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(rt.size()))),
                   left - 1, random());
}
roam::Task<> wander_and_wait(std::uint32_t left, std::uint64_t seed) {
  roam::core::Random random(seed);
  roam::Runtime& rt = roam::here();
  rt.compute(roam::Duration(static_cast<std::int64_t>(random.below(5'000'000))));
  if (left == 0) co_return;
  const roam::Rank next(
      static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(rt.size()))));
  auto reply = rt.request<&wander_and_wait>(next, left - 1, random());
  co_await reply;
}

TEST(Stuck, M10_slow_ranks_and_late_messages_are_never_reported) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    roam::SimulatedJobOptions options = job_options(5, seed);
    options.message_delay = std::chrono::milliseconds(1 + seed % 20);
    options.reorder = seed % 3 == 0;
    options.step_jitter = roam::Duration(1 + (seed % 7) * 1'000'000);
    roam::SimulatedJob job(options);
    EXPECT_TRUE(job.run([seed](roam::Runtime& rt) -> roam::Task<> {
      if (rt.rank() == 0) rt.send<&wander>(1, std::uint32_t{10}, seed);
      if (rt.rank() == 3) {
        auto reply = rt.request<&wander_and_wait>(4, std::uint32_t{6}, seed);
        co_await reply;
        const std::uint64_t other = seed + 1;
        co_await rt.run_epoch([&] { rt.send<&wander>(2, std::uint32_t{4}, other); });
      }
      co_await rt.quiescence();
    })) << "seed "
        << seed << ": " << job.error();
    if (HasFailure()) return;
  }
}

void sleep_for_long(std::int32_t rounds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(15));  // many times the report's patience
  roam::Runtime& rt = roam::here();
  if (rounds > 0) rt.send<&sleep_for_long>((rt.rank().value() + 3) % rt.size(), rounds - 1);
}
roam::Task<> work_for_long(std::int32_t rounds) {
  roam::Runtime& rt = roam::here();
  rt.compute(std::chrono::milliseconds(1));
  if (rounds == 0) co_return;
  auto reply = rt.request<&work_for_long>((rt.rank().value() + 1) % rt.size(), rounds - 1);
  co_await reply;
}

TEST(Stuck, M10_more_ranks_than_cores_and_long_handlers_are_never_reported) {
  roam::Options options;
  options.ranks = 8;
  options.ranks_given = true;
  options.workers = 1;
  options.transport = "in-process";
  EXPECT_EQ(roam::run(options,
                      [](roam::Runtime& rt) -> roam::Task<> {
                        if (rt.rank() == 0) rt.send<&sleep_for_long>(5, 20);
                        auto reply = rt.request<&work_for_long>((rt.rank().value() + 1) % rt.size(),
                                                                std::int32_t{10});
                        co_await reply;
                        co_await rt.run_epoch([&] { rt.send<&sleep_for_long>(2, 2); });
                        co_await rt.quiescence();
                      }),
            0);
}

}  // namespace

}  // namespace stuck_test
