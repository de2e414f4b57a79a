// SPDX-License-Identifier: Apache-2.0
// Groups of tasks that need each other's results: as one task where that is less data.
#include "roam/offload/group.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "roam/roam.hpp"
#include "support/simulated.hpp"

namespace roam::offload::group_test {

namespace {

using std::chrono::microseconds;
using ::testing::HasSubstr;

using Field = std::vector<double>;

Field grown(std::size_t cells, double value) {
  here().compute(microseconds(200));
  return Field(cells, value);
}
double sum_of(const Field& a, const Field& b) {
  here().compute(microseconds(100));
  double sum = 0;
  for (const double value : a) sum += value;
  for (const double value : b) sum += 2 * value;
  return sum;
}
double one_of(const Field& field) {
  here().compute(microseconds(200));
  return field.at(0);
}
double add(double a, double b) { return a + b; }
double refuses(double value) { throw Error("no " + std::to_string(value)); }

struct Ran {
  std::vector<double> values;
  std::uint64_t groups_together = 0;
  std::uint64_t groups_apart = 0;
  std::uint64_t shipped = 0;
  std::uint64_t bytes = 0;  ///< that all ranks have sent
};
/// Runs ten steps in which rank 0 spawns groups by `spawn_one`.
template <class SpawnOne>
Ran run(const SpawnOne& spawn_one, std::size_t groups = 30) {
  SimulatedJobOptions options = testing::simulated(3);
  options.options.edit<OffloadOptions>().strategy = parse_plugin_choice("ccp");
  SimulatedJob job(options);
  Ran ran;
  EXPECT_TRUE(job.run([&](Runtime& rt) -> Task<> {
    for (int step = 0; step < 10; ++step) {
      std::vector<Result<double>> results;
      for (std::size_t i = 0; rt.rank() == 0 && i < groups; ++i)
        results.push_back(spawn_one(rt, static_cast<double>(i)));
      std::vector<double> values = co_await when_all(std::move(results));
      if (rt.rank() == 0) ran.values = std::move(values);
      co_await rt.barrier();
      next_step(rt);
    }
    ran.bytes += rt.statistics().bytes_sent;
    if (rt.rank() != 0) co_return;
    const GroupSizes::Counts counts = Offloader::of(rt).group_sizes().counts();
    ran.groups_together = counts.together;
    ran.groups_apart = counts.apart;
    ran.shipped = Offloader::of(rt).tasks().counts().shipped;
  })) << job.error();
  return ran;
}

Ran run_fields(GroupTravel travel) {
  return run([travel](Runtime& rt, double value) {
    return spawn_group<&sum_of>(rt, travel, call<&grown>(std::size_t{5000}, value),
                                call<&grown>(std::size_t{5000}, 1.0));
  });
}

TEST(TaskGroups, travel_together_where_they_have_much_for_each_other) {
  const Ran by_data = run_fields(GroupTravel::by_data);
  const Ran together = run_fields(GroupTravel::together);
  const Ran apart = run_fields(GroupTravel::apart);
  EXPECT_EQ(by_data.groups_apart, 0U);
  EXPECT_EQ(apart.groups_together, 0U);
  EXPECT_GT(together.shipped, 100U);
  EXPECT_GT(apart.shipped, 100U);
  EXPECT_LT(20 * by_data.bytes, apart.bytes);
  EXPECT_EQ(by_data.values, together.values);
  EXPECT_EQ(by_data.values, apart.values);
  EXPECT_EQ(by_data.values.at(3), 5000 * 3 + 2 * 5000);
}

TEST(TaskGroups, travel_apart_where_they_have_little_for_each_other) {
  const auto reduced = [](GroupTravel travel) {
    return run([travel](Runtime& rt, double value) {
      return spawn_group<&add>(rt, travel, call<&one_of>(Field(500, value)),
                               call<&add>(call<&one_of>(Field(500, 1.0)), value));
    });
  };
  const Ran by_data = reduced(GroupTravel::by_data);
  EXPECT_GT(by_data.groups_apart, 200U);
  EXPECT_GE(by_data.groups_together, 30U) << "the first ones";
  const Ran together = reduced(GroupTravel::together);
  EXPECT_EQ(by_data.values, together.values);
  EXPECT_EQ(by_data.values.at(5), 11);
}

TEST(TaskGroups, fail_with_the_task_that_failed) {
  for (const GroupTravel travel : {GroupTravel::together, GroupTravel::apart}) {
    SimulatedJob job(testing::simulated(2));
    std::string failure;
    EXPECT_TRUE(job.run([&](Runtime& rt) -> Task<> {
      if (rt.rank() != 0) co_return;
      auto result =
          spawn_group<&add>(rt, travel, call<&add>(call<&refuses>(4.5), 1.0), call<&add>(1.0, 2.0));
      try {
        (void)co_await result;
      } catch (const RemoteError& error) {
        failure = error.what();
      }
    })) << job.error();
    EXPECT_THAT(failure, HasSubstr("no 4.5"));
  }
}

TEST(TaskGroups, belong_to_the_epoch_that_spawned_them_as_a_whole) {
  SimulatedJob job(testing::simulated(2));
  EXPECT_TRUE(job.run([](Runtime& rt) -> Task<> {
    if (rt.rank() != 0) co_return;
    std::optional<Result<double>> result;
    co_await rt.run_epoch([&] {
      result.emplace(spawn_group<&add>(rt, GroupTravel::apart, call<&one_of>(Field(3, 1.0)),
                                       call<&one_of>(Field(3, 2.0))));
    });
    EXPECT_TRUE(result->is_ready());
    EXPECT_EQ(co_await *result, 3);
  })) << job.error();
}

}  // namespace

}  // namespace roam::offload::group_test
