// SPDX-License-Identifier: Apache-2.0
// A room above runtime brings all that is its own: options, what it has on each rank, system
// messages, statistics, events of the trace, what it knows of a job that is stuck. No file of the
// library knows of toys.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "roam/core/error.hpp"
#include "roam/roam.hpp"
#include "roam/runtime/options.hpp"
#include "roam/runtime/simulated_job.hpp"
#include "roam/transport/in_process.hpp"
#include "rooms/toys.hpp"
#include "support/simulated.hpp"
#include "support/temporary_folder.hpp"

namespace roam::toys::toys_test {

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Strings = std::vector<std::string>;

Options with_toys(std::int32_t ranks, std::uint32_t toys) {
  Options options;
  options.ranks = ranks;
  options.ranks_given = true;
  options.workers = 1;
  options.edit<ToyOptions>().toys = toys;
  return options;
}

/// Each rank gives all of its toys to rank 0.
Task<> give_all(Runtime& rt) {
  Toys* const toys = Toys::of(rt);
  if (toys == nullptr || !toys->has_started()) throw Error("there are no toys");
  while (rt.rank() != 0 && toys->here() > 0) toys->give(0);
  co_await rt.quiescence();
}

TEST(ToyRoom, its_options_are_read_explained_and_checked_like_all_others) {
  Strings arguments{"--roam-toys", "3", "mine"};
  const Options options = take_options(arguments, Strings{"ROAM_TOYS_COLOUR=blue"}).options;
  EXPECT_EQ(options.of<ToyOptions>().toys, 3U);
  EXPECT_EQ(options.of<ToyOptions>().colour, "blue");
  EXPECT_EQ(options.origin("toys-colour"), "environment variable ROAM_TOYS_COLOUR");
  EXPECT_EQ(arguments, Strings{"mine"});
  EXPECT_THAT(options_help(), HasSubstr("Toys:\n  --roam-toys N"));
  Strings wrong{"--roam-tois=3"};
  try {
    (void)take_options(wrong, Strings{});
    ADD_FAILURE() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean --roam-toys?"));
  }
}

TEST(ToyRoom, it_takes_no_part_where_its_options_do_not_ask_for_it) {
  EXPECT_EQ(run(with_toys(2, 0),
                [](Runtime& rt) -> Task<> {
                  if (Toys::of(rt) != nullptr) throw Error("toys that nobody asked for");
                  co_return;
                }),
            0);
}

TEST(ToyRoom, its_messages_statistics_and_events_appear_beside_those_of_the_others) {
  const roam::testing::TemporaryFolder folder;
  Options options = with_toys(3, 4);
  options.trace = folder.file("trace.json");
  RunSummary summary;
  double of_rank_0 = -1;
  EXPECT_EQ(run(options,
                [&](Runtime& rt) -> Task<> {
                  co_await give_all(rt);
                  const RunSummary all = co_await rt.summarise_statistics();
                  if (rt.rank() != 0) co_return;
                  summary = all;
                  of_rank_0 = value_of(rt.statistics().counters, "most_toys");
                }),
            0);
  EXPECT_EQ(of_rank_0, 12);
  EXPECT_EQ(value_of(summary.counters, "toys_given"), 8);
  EXPECT_EQ(value_of(summary.counters, "most_toys"), 12) << "the most of a rank";
  const auto trace = nlohmann::json::parse(std::ifstream(options.trace));
  EXPECT_EQ(trace.at("roam").at("ranks_detail").at(1).at("toys_given"), 4);
  std::size_t events = 0;
  for (const auto& event : trace.at("traceEvents")) {
    if (event.value("cat", "") != "toys") continue;
    ++events;
    EXPECT_EQ(event.at("name"), "a toy came");
    EXPECT_EQ(event.at("pid"), 0);
  }
  EXPECT_EQ(events, 8U);
}

TEST(ToyRoom, a_measurement_counts_what_happened_since_it_began) {
  SimulatedJobOptions options = testing::simulated(2);
  options.options.edit<ToyOptions>().toys = 4;
  SimulatedJob job(options);
  EXPECT_TRUE(job.run([](Runtime& rt) -> Task<> {
    if (rt.rank() == 1) Toys::of(rt)->give(0);
    co_await rt.quiescence();
    rt.begin_measurement();
    co_await give_all(rt);
  })) << job.error();
  EXPECT_EQ(value_of(job.runtime(1).statistics().counters, "toys_given"), 3);
  EXPECT_EQ(value_of(job.runtime(0).statistics().counters, "most_toys"), 8) << "since the start";
}

TEST(ToyRoom, it_says_what_it_knows_of_a_job_that_is_stuck) {
  SimulatedJobOptions options = testing::simulated(2);
  options.options.edit<ToyOptions>().toys = 4;
  SimulatedJob job(options);
  EXPECT_FALSE(job.run([](Runtime& rt) -> Task<> {
    if (rt.rank() == 0) co_await rt.barrier();  // rank 1 never comes
  }));
  EXPECT_THAT(job.error(),
              AllOf(HasSubstr("no progress is possible"), HasSubstr("rank 1: 4 toys lie about")));
}

TEST(ToyRoom, A6_options_that_must_be_equal_are_named_where_they_differ) {
  transport::InProcessNetwork network(2);
  Session first(network, 0, with_toys(2, 1));
  Session second(network, 1, with_toys(2, 2));
  first.start([](Runtime&) -> Task<> { co_return; });
  second.start([](Runtime&) -> Task<> { co_return; });
  for (int i = 0; !first.is_over() && i < 1'000'000; ++i) {
    first.poll();
    second.poll();
  }
  try {
    first.finish();
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("--roam-toys"));
  }
  EXPECT_THROW(second.finish(), Error);
}

}  // namespace

}  // namespace roam::toys::toys_test
