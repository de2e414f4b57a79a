// SPDX-License-Identifier: Apache-2.0
// F2: what modifies a datum need not wait for what reads it if that may have a copy. In virtual
// time, so that the time of a program shows what ran concurrently.
#include <gtest/gtest.h>

#include <vector>

#include "roam/core/error.hpp"
#include "roam/flow/core.hpp"
#include "roam/flow/flow.hpp"
#include "roam/roam.hpp"
#include "support/simulated.hpp"

namespace roam::flow::copies_test {

namespace {

using Values = std::vector<int>;

void take(int units) { here().compute(std::chrono::microseconds(100 * units)); }
void adds(Values& values, int units) {
  take(units);
  for (int& value : values) ++value;
}
void expects(const Values& values, int expected, int units) {
  EXPECT_EQ(values.at(0), expected);
  take(units);
  EXPECT_EQ(values.at(0), expected);
}

struct Result {
  double units = 0;
  FlowCounts counts;
};

template <class Program>
Result run(Program program, std::uint64_t quota = 1U << 20) {
  SimulatedJobOptions options = testing::simulated(1, 1, 4);
  options.options.edit<FlowOptions>().copy_bytes = quota;
  SimulatedJob job(options);
  Result result;
  const bool ok = job.run([&](Runtime& rt) -> Task<> {
    Flow fl(rt);
    const Instant begin = rt.now();
    co_await program(fl);
    co_await fl.done();
    result.units = seconds(rt.now() - begin) / 1e-4;
    result.counts = fl.scope().core().counts();
    EXPECT_EQ(fl.scope().core().copy_counts().held, 0);
  });
  EXPECT_TRUE(ok) << job.error();
  return result;
}

Task<> steps_and_reports(Flow& fl, Handle<Values> x) {
  for (int step = 1; step <= 3; ++step) {
    fl.work<&adds>(x, 1);
    fl.work<&expects>(x, step, 2);
    fl.work<&expects>(x, step, 1);
  }
  EXPECT_EQ((co_await x.get())[0], 3);
}

TEST(FlowCopies, F2_what_modifies_need_not_wait_for_what_reads_a_copy) {
  const Result waits = run([](Flow& fl) { return steps_and_reports(fl, fl.data(Values(10))); });
  EXPECT_NEAR(waits.units, 9, 0.1);
  EXPECT_EQ(waits.counts.copies, 0U);
  const Result copies =
      run([](Flow& fl) { return steps_and_reports(fl, fl.data(Values(10)).copied_for_readers()); });
  EXPECT_NEAR(copies.units, 5, 0.1);
  EXPECT_EQ(copies.counts.copies, 2U);  // nobody waits for the readers of the last
  EXPECT_EQ(copies.counts.copied_bytes, 2 * (sizeof(Values) + 10 * sizeof(int)));
  EXPECT_EQ(copies.counts.copies_refused, 0U);
}

TEST(FlowCopies, F2_copies_take_no_more_than_their_quota) {
  const Result result = run(
      [](Flow& fl) { return steps_and_reports(fl, fl.data(Values(1000)).copied_for_readers()); },
      4500);
  // The second copy is refused while the first is being read.
  EXPECT_EQ(result.counts.copies, 1U);
  EXPECT_EQ(result.counts.copies_refused, 1U);
  EXPECT_NEAR(result.units, 7, 0.1);
}

struct Uncopyable {
  int value = 0;
  bool throws = true;
  Uncopyable() = default;
  Uncopyable(Uncopyable&&) = default;
  Uncopyable& operator=(const Uncopyable&) = default;
  Uncopyable(const Uncopyable& other) : value(other.value) {
    if (other.throws) throw Error("is not to be copied");
  }
};

TEST(FlowCopies, F2_where_copying_fails_tasks_wait) {
  const Result result = run([](Flow& fl) -> Task<> {
    auto x = fl.data(Uncopyable{});
    x.copied_for_readers();
    for (int i = 0; i < 2; ++i) {
      fl.work([](Uncopyable& u) { take(1), ++u.value; }, x);
      fl.work([](const Uncopyable&) { take(2); }, x);
    }
    fl.work([](Uncopyable& u) { u.throws = false; }, x);
    EXPECT_EQ((co_await x.get()).value, 2);
  });
  EXPECT_NEAR(result.units, 6, 0.1);
}

}  // namespace

}  // namespace roam::flow::copies_test
