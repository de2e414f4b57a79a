// SPDX-License-Identifier: Apache-2.0
// Const methods of mobile objects as offloadable tasks: the object itself is read where the task
// stays, a copy where it goes; the object's calls keep their order and their access.
#include "roam/offload/as_task.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "roam/core/error.hpp"
#include "roam/roam.hpp"
#include "support/simulated.hpp"

namespace roam::offload::as_task_test {

namespace {

using std::chrono::microseconds;
using ::testing::HasSubstr;

struct Values {
  std::vector<double> all;
  [[nodiscard]] double sum(double factor) const {
    here().compute(microseconds(200));
    return factor * std::accumulate(all.begin(), all.end(), 0.0);
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(all);
  }
};

class Cell {
 public:
  static constexpr auto values() { return &Cell::values_; }
  Cell() = default;
  explicit Cell(std::size_t size) : values_{std::vector<double>(size, 1.0)} {}
  void begin_version(std::uint64_t version) { version_ = version; }
  [[nodiscard]] double weighted(const std::vector<double>& weights, double factor) const {
    here().compute(microseconds(200));
    double sum = 0;
    for (std::size_t i = 0; i < values_.all.size(); ++i) sum += weights.at(i) * values_.all[i];
    return factor * sum;
  }
  /// The version, and where that was found out.
  [[nodiscard]] std::uint64_t seen(std::span<const double> weights) const noexcept {
    here().compute(microseconds(200));
    return 1000 * version_ + 10 * weights.size() + here().rank().index();
  }
  void refuses(int number) const {
    here().compute(microseconds(200));
    throw Error("not " + std::to_string(number));
  }
  [[nodiscard]] std::int32_t place() const { return here().rank().value(); }
  [[nodiscard]] const Values& read() const { return values_; }
  [[nodiscard]] std::uint64_t copies() const { return copies_; }
  template <class Archive>
  void save(Archive& archive) const {
    ++copies_;
    archive(version_, values_);
  }
  template <class Archive>
  void load(Archive& archive) {
    archive(version_, values_);
  }

 private:
  Values values_;
  std::uint64_t version_ = 0;
  mutable std::uint64_t copies_ = 0;  // that were made of it
};

double largest_of(const Values& values, int sign) {
  here().compute(microseconds(200));
  return sign * *std::ranges::max_element(values.all);
}

SimulatedJobOptions job_options(const std::string& strategy) {
  SimulatedJobOptions options = testing::simulated(3);
  options.options.edit<OffloadOptions>().strategy = parse_plugin_choice(strategy);
  return options;
}

struct Ran {
  HomeCounts counts;
  std::uint64_t copies = 0;  ///< of whole cells
};
/// Ten steps of three ranks, of which the first has 12 cells and the others none. `call_one`: a
/// call of a cell, with the step's number; `check` gets what each gave.
template <class CallOne, class Check>
Ran run_steps(const std::string& strategy, const CallOne& call_one, const Check& check) {
  SimulatedJob job(job_options(strategy));
  Ran ran;
  EXPECT_TRUE(job.run([&](Runtime& rt) -> Task<> {
    std::vector<mobile_ptr<Cell>> cells;
    for (int i = 0; rt.rank() == 0 && i < 12; ++i)
      cells.push_back(rt.create<Cell>(static_cast<std::size_t>(100)));
    for (int step = 0; step < 10; ++step) {
      std::vector<decltype(call_one(cells.front(), step))> calls;
      for (const mobile_ptr<Cell> cell : cells) calls.push_back(call_one(cell, step));
      for (auto& call : calls) check(co_await call, step);
      co_await rt.barrier();
      next_step(rt);
    }
    if (rt.rank() != 0) co_return;
    ran.counts = Offloader::of(rt).tasks().counts();
    for (const mobile_ptr<Cell> cell : cells) ran.copies += co_await cell.call<&Cell::copies>();
  })) << job.error();
  return ran;
}

TEST(MethodsAsTasks, O1_give_the_same_and_are_copied_only_where_they_go) {
  const auto call = [](mobile_ptr<Cell> cell, int step) {
    return cell.call<as_task<&Cell::weighted>>(std::vector<double>(100, 2.0), double(step));
  };
  const auto check = [](double value, int step) { EXPECT_EQ(value, 200 * step); };
  const Ran away = run_steps("ccp", call, check);
  EXPECT_EQ(away.counts.spawned, 120U);
  EXPECT_GT(away.counts.returned, 50U);
  EXPECT_EQ(away.copies, away.counts.shipped);
  const Ran all_here = run_steps("none", call, check);
  EXPECT_EQ(all_here.counts.spawned, 120U);
  EXPECT_EQ(all_here.copies, 0U);
}

TEST(MethodsAsTasks, read_a_part_of_the_object_which_alone_is_copied) {
  const auto check = [](double value, int step) { EXPECT_EQ(value, 100 * step); };
  const Ran by_member = run_steps(
      "ccp",
      [](mobile_ptr<Cell> cell, int step) {
        return cell.call<as_task<&Values::sum, Cell::values()>>(double(step));
      },
      check);
  const Ran by_method = run_steps(
      "ccp",
      [](mobile_ptr<Cell> cell, int step) {
        return cell.call<as_task<&Values::sum, &Cell::read>>(double(step));
      },
      check);
  const Ran of_function = run_steps(
      "ccp",
      [](mobile_ptr<Cell> cell, int step) {
        return cell.call<as_task<&largest_of, &Cell::read>>(step);
      },
      [](double value, int step) { EXPECT_EQ(value, step); });
  for (const Ran& ran : {by_member, by_method, of_function}) {
    EXPECT_GT(ran.counts.returned, 50U);
    EXPECT_EQ(ran.copies, 0U);
  }
}

TEST(MethodsAsTasks, M3_M4_see_what_earlier_calls_have_done_and_nothing_of_later_ones) {
  std::uint64_t elsewhere = 0;
  const Ran ran = run_steps(
      "ccp",
      [](mobile_ptr<Cell> cell, int step) {
        const auto version = static_cast<std::uint64_t>(step);
        cell.send<&Cell::begin_version>(version);
        auto seen = cell.call<as_task<&Cell::seen>>(std::vector<double>(3));
        cell.send<&Cell::begin_version>(version + 100);  // waits for the task, wherever it is
        return seen;
      },
      [&](std::uint64_t seen, int step) {
        EXPECT_EQ(seen / 1000, static_cast<std::uint64_t>(step));
        EXPECT_EQ(seen % 1000 / 10, 3U);
        if (seen % 10 != 0) ++elsewhere;
      });
  EXPECT_GT(elsewhere, 50U);
  EXPECT_EQ(ran.copies, ran.counts.shipped);
}

TEST(MethodsAsTasks, M5_keep_the_object_from_moving_until_their_result_is_there) {
  SimulatedJobOptions options = job_options("ccp");
  options.options.edit<OffloadOptions>().recompute = false;
  SimulatedJob job(options);
  EXPECT_TRUE(job.run([&](Runtime& rt) -> Task<> {
    if (rt.rank() != 0) co_return;
    const Quota quota{0, 1, 6};
    Offloader::of(rt).tasks().set_quotas({&quota, 1});
    std::vector<mobile_ptr<Cell>> cells;
    std::vector<am::Reply<std::uint64_t>> calls;
    for (int i = 0; i < 6; ++i) {
      cells.push_back(rt.create<Cell>(static_cast<std::size_t>(1)));
      calls.push_back(cells.back().call<as_task<&Cell::seen>>(std::vector<double>(3)));
    }
    for (const mobile_ptr<Cell> cell : cells) co_await cell.migrate_and_wait(2);
    std::vector<std::uint64_t> computed_by(3);
    for (auto& call : calls) ++computed_by[co_await call % 10];
    EXPECT_THAT(computed_by, ::testing::ElementsAre(1, 5, 0));  // the first one stays: C is 1
    std::uint64_t on_rank_2 = 0;
    for (const mobile_ptr<Cell> cell : cells)
      on_rank_2 += co_await cell.call<&Cell::place>() == 2 ? 1U : 0U;
    EXPECT_EQ(on_rank_2, 6U);
  })) << job.error();
}

TEST(MethodsAsTasks, M8_are_over_before_the_object_ends) {
  SimulatedJob job(job_options("ccp"));
  EXPECT_TRUE(job.run([](Runtime& rt) -> Task<> {
    for (int step = 0; step < 6; ++step) {
      std::vector<am::Reply<double>> calls;
      for (int i = 0; rt.rank() == 0 && i < 12; ++i) {
        const auto cell = rt.create<Cell>(static_cast<std::size_t>(100));
        calls.push_back(cell.call<as_task<&Values::sum, &Cell::read>>(1.0));
        cell.destroy();
      }
      for (auto& call : calls) EXPECT_EQ(co_await call, 100);
      co_await rt.barrier();
      next_step(rt);
    }
  })) << job.error();
}

TEST(MethodsAsTasks, O2_that_throw_fail_the_call) {
  SimulatedJob job(job_options("ccp"));
  int failures = 0;
  EXPECT_TRUE(job.run([&](Runtime& rt) -> Task<> {
    std::vector<mobile_ptr<Cell>> cells;
    for (int i = 0; rt.rank() == 0 && i < 12; ++i)
      cells.push_back(rt.create<Cell>(static_cast<std::size_t>(1)));
    for (int step = 0; step < 4; ++step) {
      std::vector<am::Reply<void>> calls;
      for (const mobile_ptr<Cell> cell : cells)
        calls.push_back(cell.call<as_task<&Cell::refuses>>(step));
      for (auto& call : calls) {
        try {
          co_await call;
        } catch (const RemoteError& error) {
          ++failures;
          EXPECT_THAT(error.what(), HasSubstr("not " + std::to_string(step)));
          EXPECT_THAT(error.what(), HasSubstr("offloadable task &"));
          EXPECT_THAT(error.what(), HasSubstr("refuses"));
        }
      }
      co_await rt.barrier();
      next_step(rt);
    }
  })) << job.error();
  EXPECT_EQ(failures, 48);
}

TEST(MethodsAsTasks, B6_count_as_load_of_their_object_wherever_they_were_computed) {
  SimulatedJob job(job_options("ccp"));
  double least = 1;
  double most = 0;
  EXPECT_TRUE(job.run([&](Runtime& rt) -> Task<> {
    std::vector<mobile_ptr<Cell>> cells;
    for (int i = 0; rt.rank() == 0 && i < 12; ++i)
      cells.push_back(rt.create<Cell>(static_cast<std::size_t>(100)));
    for (int step = 0; step < 10; ++step) {
      std::vector<am::Reply<double>> calls;
      for (const mobile_ptr<Cell> cell : cells)
        calls.push_back(cell.call<as_task<&Values::sum, &Cell::read>>(1.0));
      for (auto& call : calls) (void)co_await call;
      co_await rt.barrier();
      next_step(rt);
    }
    if (rt.rank() != 0) co_return;
    EXPECT_GT(Offloader::of(rt).tasks().counts().returned, 50U);
    rt.objects().for_each_resident([&](const mobile::ResidentView& one) {
      least = std::min(least, one.record.phase_seconds);
      most = std::max(most, one.record.phase_seconds);
    });
  })) << job.error();
  EXPECT_GT(least, 9.9 * 200e-6);
  EXPECT_LT(most, 11 * 200e-6);
}

}  // namespace

}  // namespace roam::offload::as_task_test
