// SPDX-License-Identifier: Apache-2.0
// What a handler knows about where it runs: state of its rank, its object's own name; and the time
// of its work on a simulated machine.
#include <gmock/gmock.h>

#include <atomic>
#include <string>
#include <vector>

#include "roam/core/error.hpp"
#include "roam/roam.hpp"
#include "roam/runtime/simulated_job.hpp"
#include "support/simulated.hpp"

namespace roam::rank_state_test {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Options in_process(std::int32_t ranks, std::uint32_t workers) {
  Options options;
  options.ranks = ranks;
  options.ranks_given = true;
  options.workers = workers;
  return options;
}

struct Tally {
  std::atomic<int> count{0};
};
struct Numbered {
  explicit Numbered(Runtime& rt) : rank(rt.rank().value()) {}
  int rank;
};
void add() { ++here().local<Tally>().count; }

TEST(Local, each_rank_of_a_process_has_its_own_and_its_workers_share_it) {
  std::array<std::atomic<int>, 3> counts{};
  EXPECT_EQ(run(in_process(3, 2),
                [&](Runtime& rt) -> Task<> {
                  for (int i = 0; i < 100 * (rt.rank().value() + 1); ++i)
                    rt.send<&add>((rt.rank().value() + 1) % 3);
                  co_await rt.quiescence();
                  counts[rt.rank().index()] = rt.local<Tally>().count.load();
                  if (rt.local<Numbered>().rank != rt.rank().value()) throw Error("another rank's");
                }),
            0);
  EXPECT_EQ(counts[0], 300);
  EXPECT_EQ(counts[1], 100);
  EXPECT_EQ(counts[2], 200);
}

std::vector<std::string>& ended() {
  static std::vector<std::string> all;
  return all;
}
struct First {
  ~First() { ended().emplace_back("first"); }
};
struct Second {
  explicit Second(Runtime& rt) : first(rt.local<First>()) {}
  ~Second() { ended().emplace_back("second"); }
  First& first;
};
struct Impossible {
  Impossible() { throw Error("it cannot be"); }
};

TEST(Local, what_its_constructor_throws_is_passed_on) {
  SimulatedJob job(testing::simulated(1));
  EXPECT_FALSE(job.run([](Runtime& rt) -> Task<> {
    (void)rt.local<Impossible>();
    co_return;
  }));
  EXPECT_THAT(job.error(), HasSubstr("it cannot be"));
}

TEST(Local, goes_with_its_rank_the_last_made_first) {
  ended().clear();
  {
    SimulatedJob job(testing::simulated(1));
    EXPECT_TRUE(job.run([](Runtime& rt) -> Task<> {
      (void)rt.local<Second>();
      EXPECT_TRUE(ended().empty());
      co_return;
    }));
  }
  EXPECT_THAT(ended(), ElementsAre("second", "first"));
}

struct Cell {
  std::vector<mobile_ptr<Cell>> known;
  void meet(mobile_ptr<Cell> other) {
    known.push_back(other);
    if (known.size() == 1) other.send<&Cell::meet>(self<Cell>());
  }
  Task<bool> knows_itself_after_a_wait(mobile_ptr<Cell> name) {
    const mobile_ptr<Cell> before = self<Cell>();
    co_await here().request<&add>(0);
    co_return before == name&& self<Cell>() == name;
  }
  mobile_ptr<Cell> first() const { return known.empty() ? mobile_ptr<Cell>() : known.front(); }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(known);
  }
};

TEST(Self, is_the_objects_own_name_also_after_a_move_and_a_wait) {
  SimulatedJob job(testing::simulated(3));
  EXPECT_TRUE(job.run([](Runtime& rt) -> Task<> {
    if (rt.rank() == 0) {
      const auto a = rt.create<Cell>();
      const auto b = rt.create<Cell>();
      b.migrate(2);
      a.send<&Cell::meet>(b);
      auto knows = b.call<&Cell::knows_itself_after_a_wait>(b);
      EXPECT_TRUE(co_await knows);
    }
    co_await rt.quiescence();
  })) << job.error();
}

void ask_for_the_name_of_none() { (void)self<Cell>(); }

TEST(Self, of_a_handler_without_an_object_is_an_error) {
  SimulatedJob job(testing::simulated(1));
  EXPECT_FALSE(job.run([](Runtime& rt) -> Task<> {
    rt.send<&ask_for_the_name_of_none>(0);
    co_await rt.quiescence();
  }));
  EXPECT_THAT(job.error(), HasSubstr("roam::self() was called where no method of an object runs"));
}

TEST(ModelledTime, passes_on_a_simulated_machine_by_its_speed_and_takes_none_in_a_real_run) {
  SimulatedJobOptions options = testing::simulated(1);
  options.options.simulate->speeds = {0.5};
  SimulatedJob job(options);
  EXPECT_TRUE(job.run([](Runtime& rt) -> Task<> {
    const Instant before = rt.now();
    rt.compute_if_simulated(std::chrono::seconds(3));
    EXPECT_EQ(rt.now() - before, std::chrono::seconds(6));
    co_return;
  }));
  EXPECT_EQ(run(in_process(1, 1),
                [](Runtime& rt) -> Task<> {
                  const Instant before = rt.now();
                  rt.compute_if_simulated(std::chrono::seconds(3));
                  if (rt.now() - before > std::chrono::seconds(1)) throw Error("it took its time");
                  co_return;
                }),
            0);
}

/// Uses about that much processor time of this thread, whatever the clock says.
void work(double seconds) {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  const double begin = double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
  do {
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  } while (double(t.tv_sec) + 1e-9 * double(t.tv_nsec) - begin < seconds);
}

TEST(ModelledTime, measured_time_counts_times_the_machines_factor) {
  for (const double factor : {0.0, 1.0, 100.0}) {
    SimulatedJobOptions options = testing::simulated(2);
    options.options.simulate->measured_time_factor = factor;
    SimulatedJob job(options);
    EXPECT_TRUE(job.run([](Runtime& rt) -> Task<> {
      if (rt.rank() == 0) rt.send<&work>(1, 2e-3);
      co_await rt.quiescence();
    }));
    const double busy = job.runtime(1).statistics().workers[0].busy_seconds;
    EXPECT_GE(busy, factor * 2e-3);
    EXPECT_LE(busy, factor * 2e-2) << "with factor " << factor;
  }
}

}  // namespace

}  // namespace roam::rank_state_test
