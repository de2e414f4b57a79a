// SPDX-License-Identifier: Apache-2.0
// Tasks that call mobile objects: Flow::adopt(), Flow::call().
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "flow/backends.hpp"
#include "roam/core/error.hpp"
#include "roam/flow/flow.hpp"
#include "roam/roam.hpp"
#include "roam/testing/explore.hpp"
#include "support/simulated.hpp"

namespace roam::flow::objects_test {

/// A list of numbers that moves.
struct Field {
  std::vector<double> values;
  void append(double value) { values.push_back(value); }
  double scale(double factor, const std::vector<double>& add) {
    here().compute(std::chrono::microseconds(5));
    for (double& v : values) v *= factor;
    values.insert(values.end(), add.begin(), add.end());
    return values.back();
  }
  double sum() const {
    double sum = 0;
    for (const double v : values) sum += v;
    return sum;
  }
  void fail() { throw Error("the field is broken"); }
  double fail_to_read() const { throw Error("unreadable"); }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(values);
  }
};

namespace {

using ::testing::HasSubstr;

/// Runs a program on rank 0 of a job; `other` is an object on the last rank.
template <class Program>
void run_on(const SimulatedJobOptions& options, const Program& program) {
  SimulatedJob job(options);
  const bool ok = job.run([&](Runtime& rt) -> Task<> {
    if (rt.rank() != 0) co_return;
    Field empty;
    const auto field = rt.create<Field>(std::move(empty));
    field.migrate(rt.size() - 1);
    co_await program(rt, field);
  });
  EXPECT_TRUE(ok) << job.error();
}

template <class T>
Task<std::string> failure_of(const Handle<T>& handle) {
  try {
    (void)co_await handle.get();
  } catch (const TaskFailed& error) {
    co_return error.what();
  }
  co_return "";
}

TEST(ObjectsInFlows, are_called_in_the_order_of_the_program_wherever_they_are) {
  run_on(testing::simulated(4), [](Runtime& rt, mobile_ptr<Field> pointer) -> Task<> {
    Flow fl(rt);
    const auto field = fl.adopt(pointer);
    auto x = fl.data(1.0);
    fl.call<&Field::append>(field, x);
    fl.work(
        [](double& value) {
          here().compute(std::chrono::microseconds(50));
          value = 10;
        },
        x);
    pointer.migrate(1);
    const auto before = fl.call<&Field::sum>(field);
    const auto last = fl.call<&Field::scale>(field, 2.0, fl.data(std::vector<double>{5, 7}));
    fl.call<&Field::append>(field, x);
    pointer.migrate(2);
    const auto after = fl.call<&Field::sum>(field);
    auto all = fl.data<double>();
    fl.work([](const double& a, const double& b, const double& c,
               Out<double> sum) { *sum = 10000 * a + 100 * b + c; },
            before, last, after, all);
    EXPECT_EQ(co_await before.get(), 1);
    EXPECT_EQ(co_await last.get(), 7);
    EXPECT_EQ(co_await after.get(), 2 + 5 + 7 + 10);
    EXPECT_EQ(co_await all.get(), 10000 + 700 + 24);
    co_await fl.done();
  });
}

TEST(ObjectsInFlows, are_read_by_several_calls_at_once) {
  SimulatedJobOptions options = testing::simulated(2);
  options.options.simulate->workers_per_rank = 4;
  run_on(options, [](Runtime& rt, mobile_ptr<Field> pointer) -> Task<> {
    Flow fl(rt);
    const auto field = fl.adopt(pointer);
    fl.call<&Field::append>(field, 2.0);
    std::vector<Handle<double>> sums;
    for (int i = 0; i < 50; ++i) sums.push_back(fl.call<&Field::sum>(field));
    fl.call<&Field::append>(field, 3.0);
    for (const auto& sum : sums) EXPECT_EQ(co_await sum.get(), 2);
    EXPECT_EQ(co_await fl.call<&Field::sum>(field).get(), 5);
  });
}

TEST(ObjectsInFlows, F5_failures_are_those_of_the_results_and_of_the_object) {
  run_on(testing::simulated(2), [](Runtime& rt, mobile_ptr<Field> pointer) -> Task<> {
    Flow fl(rt);
    const auto field = fl.adopt(pointer).named("field");
    fl.call<&Field::append>(field, 2.0);
    const auto unread = fl.call<&Field::fail_to_read>(field);
    EXPECT_EQ(co_await fl.call<&Field::sum>(field).get(), 2) << "reading does no harm";
    EXPECT_THAT(co_await failure_of(unread), HasSubstr("unreadable"));
    fl.call<&Field::fail>(field);
    const auto lost = fl.call<&Field::sum>(field);
    EXPECT_THAT(co_await failure_of(lost), HasSubstr("the field is broken"));
    EXPECT_EQ(co_await pointer.call<&Field::sum>(), 2);
    const auto again = fl.adopt(pointer);
    EXPECT_EQ(co_await fl.call<&Field::sum>(again).get(), 2);
    pointer.destroy();
    EXPECT_THAT(co_await failure_of(fl.call<&Field::sum>(again)), HasSubstr("object"));
    const auto gone = fl.call<&Field::sum>(again);  // nobody looks at it
    EXPECT_THAT(co_await failure_of(gone), HasSubstr("object"));
  });
}

TEST(ObjectsInFlows, F5_are_not_called_without_their_arguments) {
  run_on(testing::simulated(2), [](Runtime& rt, mobile_ptr<Field> pointer) -> Task<> {
    Flow fl(rt);
    const auto field = fl.adopt(pointer);
    auto bad = fl.data<double>();
    fl.work([](Out<double> /*x*/) { throw Error("no number"); }, bad);
    fl.call<&Field::append>(field, bad);
    EXPECT_THAT(co_await failure_of(fl.call<&Field::sum>(field)), HasSubstr("no number"));
    EXPECT_EQ(co_await pointer.call<&Field::sum>(), 0);
  });
}

TEST(ObjectsInFlows, F11_calls_that_have_not_begun_are_cancelled) {
  run_on(testing::simulated(2), [](Runtime& rt, mobile_ptr<Field> pointer) -> Task<> {
    Flow fl(rt);
    const auto field = fl.adopt(pointer);
    fl.call<&Field::append>(field, 2.0);
    const auto sum = fl.call<&Field::sum>(field);
    fl.cancel();
    EXPECT_THAT(co_await failure_of(sum), HasSubstr("cancelled"));
    co_await fl.done();
  });
}

TEST(ObjectsInFlows, F12_are_called_by_graphs_as_without) {
  run_on(testing::simulated(2), [](Runtime& rt, mobile_ptr<Field> pointer) -> Task<> {
    Flow fl(rt);
    const auto field = fl.adopt(pointer);
    auto x = fl.data(1.0);
    auto all = fl.data(0.0);
    for (int step = 0; step < 5; ++step) {
      fl.graph("step", [&] {
        fl.call<&Field::append>(field, x);
        const auto sum = fl.call<&Field::sum>(field);
        fl.work([](double& value, const double& s, double& a) { value += 1, a += s; }, x, sum, all);
      });
    }
    EXPECT_EQ(co_await all.get(), 1 + 3 + 6 + 10 + 15);
    EXPECT_GT(fl.scope().core().counts().graph_replays, 0U);
  });
}

TEST(ObjectsInFlows, cannot_be_called_where_tasks_run_at_once) {
  run_on(testing::simulated(2), [](Runtime& rt, mobile_ptr<Field> pointer) -> Task<> {
    Flow fl(rt, at_once);
    EXPECT_THROW((void)fl.adopt(pointer), Error);
    co_return;
  });
}

/// Calls with arguments that tasks compute, while the object moves.
Task<> wandering(Runtime& rt) {
  if (rt.rank() != 0) co_return;
  const auto pointer = rt.create<Field>();
  Flow fl(rt);
  const auto field = fl.adopt(pointer);
  auto x = fl.data(1.0);
  std::vector<Handle<double>> sums;
  for (int step = 0; step < 6; ++step) {
    fl.call<&Field::append>(field, x);
    fl.work([](double& value) { value *= 2; }, x);
    sums.push_back(fl.call<&Field::sum>(field));
    pointer.migrate((step + 1) % rt.size());
  }
  double expected = 0;
  for (int step = 0; step < 6; ++step) {
    expected += 1 << step;
    if (co_await sums[static_cast<std::size_t>(step)].get() != expected)
      throw Error("a call was lost, repeated or out of order");
  }
}

TEST(ObjectsInFlows, F1_are_called_by_threads_or_not_at_all) {
  for (const std::string& backend : backends_to_test()) {
    Options options;
    options.ranks = 2;
    options.ranks_given = true;
    options.workers = 2;
    options.edit<FlowOptions>().backend = backend;
    const int status = roam::run(options, [&](Runtime& rt) -> Task<> {
      if (backend == "roam") {
        for (int round = 0; round < 20; ++round) co_await wandering(rt);
      } else {
        Flow fl(rt);
        EXPECT_THROW((void)fl.adopt(rt.create<Field>()), Error) << backend;
      }
    });
    EXPECT_EQ(status, 0) << backend;
  }
}

TEST(ObjectsInFlows, F1_are_called_exactly_once_and_in_order_in_all_schedules) {
  testing::ExploreOptions options;
  options.schedules = 500;
  const testing::Report report = explore(options, wandering);
  EXPECT_TRUE(report.ok()) << report;
}

}  // namespace
}  // namespace roam::flow::objects_test
