// SPDX-License-Identifier: Apache-2.0
// A8 at every thread level of MPI: each progress mode with one worker and with two either works or
// is refused at once with what it needs. Start with mpiexec -n <ranks>; the argument is the level
// with which this program initialises MPI: single, funneled, serialized or multiple. Without one
// Roam does.
#include <gmock/gmock.h>
#include <mpi.h>
#include <cereal/types/map.hpp>

#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <thread>

#include "roam/core/error.hpp"
#include "roam/roam.hpp"
#include "roam/transport/mpi/mpi_network.hpp"

namespace roam::thread_levels {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::int64_t twice(std::int64_t number) { return 2 * number; }

struct Sum {
  std::int64_t total = 0;
  std::int32_t disorder = 0;
  std::map<std::int32_t, std::int32_t> next;
  void add(std::int32_t from, std::int32_t number) {
    disorder += next[from]++ != number;
    total += number;
  }
  [[nodiscard]] std::int64_t get() const { return total; }
  [[nodiscard]] std::int32_t out_of_order() const { return disorder; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(total, disorder, next);
  }
};

std::size_t threads_of_this_process() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

/// What a rank found out.
struct Found {
  int good = 0;
  std::size_t threads = 0;
};

/// Requests, calls of a wandering object from all ranks, puts large and small, collectives.
Task<> program(Runtime& rt, Found& found) {
  const Rank next((rt.rank().value() + 1) % rt.size());
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < 50; ++i) sum += co_await rt.request<&twice>(next, i);
  mobile_ptr<Sum> mine;
  if (rt.rank() == 0) mine = rt.create<Sum>();
  const auto object = co_await rt.broadcast(0, mine);
  for (std::int32_t i = 0; i < 200; ++i) {
    object.send<&Sum::add>(rt.rank().value(), i);
    if (i % 50 == 0 && rt.rank() == 0) object.migrate(i / 50 % rt.size());
  }
  std::vector<std::int64_t> values(30'000);
  std::iota(values.begin(), values.end(), rt.rank().value());
  const auto region = co_await rt.memory().remote_alloc<std::int64_t>(next, values.size());
  co_await rt.memory().put(region, values);
  std::vector<std::int64_t> back(values.size());
  co_await rt.memory().get(back, region);
  co_await rt.memory().remote_free(region);
  found.threads = threads_of_this_process();
  const int ranks = co_await rt.allreduce<std::plus<>>(1);
  co_await rt.quiescence();
  const std::int64_t total = co_await object.call<&Sum::get>();
  const std::int32_t disorder = co_await object.call<&Sum::out_of_order>();
  found.good = sum == 2450 && back == values && ranks == rt.size() && disorder == 0 &&
               total == std::int64_t{19'900} * rt.size();
}

int level() {
  int provided = MPI_THREAD_SINGLE;
  MPI_Query_thread(&provided);
  return provided;
}

Options options_for(ProgressMode mode, std::uint32_t workers) {
  Options options;
  options.progress_mode = mode;
  options.workers = workers;
  return options;
}

class Levels : public ::testing::TestWithParam<std::tuple<ProgressMode, std::uint32_t>> {};
INSTANTIATE_TEST_SUITE_P(Modes, Levels,
                         ::testing::Combine(::testing::Values(ProgressMode::shared,
                                                              ProgressMode::dedicated,
                                                              ProgressMode::polling),
                                            ::testing::Values(1U, 2U)),
                         [](const auto& test) {
                           return std::string(to_string(std::get<0>(test.param))) + "_" +
                                  std::to_string(std::get<1>(test.param));
                         });

TEST_P(Levels, A8_works_or_says_what_it_needs) {
  const ProgressMode mode = std::get<0>(GetParam());
  const std::uint32_t workers = std::get<1>(GetParam());
  const auto network = transport::make_mpi_network(MPI_COMM_WORLD);
  const bool needs_threads =
      mode == ProgressMode::dedicated || (workers > 1 && mode == ProgressMode::shared);
  Found found;
  const auto run_it = [&] {
    return roam::run(*network, options_for(mode, workers),
                     [&found](Runtime& rt) { return program(rt, found); });
  };
  if (level() == MPI_THREAD_SINGLE && needs_threads) {
    try {
      (void)run_it();
      ADD_FAILURE() << "it was not refused";
    } catch (const ConfigError& error) {
      const char* const wanted = mode == ProgressMode::dedicated ? "dedicated" : "2 workers";
      EXPECT_THAT(error.what(), AllOf(HasSubstr(wanted), HasSubstr("MPI_THREAD_SINGLE"),
                                      HasSubstr("MPI_THREAD_FUNNELED")));
    }
    return;
  }
  const std::size_t before = threads_of_this_process();
  EXPECT_EQ(run_it(), 0);
  EXPECT_EQ(found.good, 1);
  if (level() == MPI_THREAD_SINGLE) {
    EXPECT_EQ(found.threads, before) << "threads, where MPI allows none";
  }
}

TEST(ThreadLevels, A8_without_a_number_there_are_as_many_workers_as_the_level_allows) {
  const auto network = transport::make_mpi_network(MPI_COMM_WORLD);
  Found found;
  std::uint32_t workers = 0;
  const int status = roam::run(*network, {}, [&](Runtime& rt) {
    workers = rt.workers();
    return program(rt, found);
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(found.good, 1);
  if (level() == MPI_THREAD_SINGLE) {
    EXPECT_EQ(workers, 1U);
  }
}

TEST(ThreadLevels, A8_a_session_needs_no_level) {
  const auto network = transport::make_mpi_network(MPI_COMM_WORLD);
  const std::size_t before = threads_of_this_process();
  Session session(*network);
  Found found;
  session.start([&found](Runtime& rt) { return program(rt, found); });
  for (int i = 0; i < 100; ++i) (void)session.poll();
  session.finish();
  EXPECT_EQ(found.good, 1);
  EXPECT_EQ(found.threads, before);
}

TEST(ThreadLevels, A8_another_thread_is_refused_below_serialized) {
  const auto network = transport::make_mpi_network(MPI_COMM_WORLD);
  std::string refusal;
  std::thread([&] {
    try {
      (void)roam::run(*network, options_for(ProgressMode::shared, 1),
                      [](Runtime&) -> Task<> { co_return; });
    } catch (const Error& error) {
      refusal = error.what();
    }
  }).join();
  if (level() < MPI_THREAD_SERIALIZED) {
    EXPECT_THAT(refusal, HasSubstr("ask for MPI_THREAD_SERIALIZED or more"));
  } else {
    EXPECT_EQ(refusal, "");
  }
}

/// One job, for which Roam initialises MPI and finalises it.
int run_alone(int& argc, char** argv) {
  Found found;
  const int status = roam::run(argc, argv, [&found](Runtime& rt) { return program(rt, found); });
  return status != 0 || found.good != 1 ? 1 : 0;
}

int run_tests(int& argc, char** argv, int wanted) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, wanted, &provided);
  ::testing::InitGoogleTest(&argc, argv);
  int failed = RUN_ALL_TESTS();
  int anywhere = 0;
  MPI_Allreduce(&failed, &anywhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return anywhere;
}

}  // namespace
}  // namespace roam::thread_levels

int main(int argc, char** argv) {
  const std::map<std::string, int> levels{{"single", MPI_THREAD_SINGLE},
                                          {"funneled", MPI_THREAD_FUNNELED},
                                          {"serialized", MPI_THREAD_SERIALIZED},
                                          {"multiple", MPI_THREAD_MULTIPLE}};
  const auto found = argc > 1 ? levels.find(argv[1]) : levels.end();
  return found == levels.end() ? roam::thread_levels::run_alone(argc, argv)
                               : roam::thread_levels::run_tests(argc, argv, found->second);
}
