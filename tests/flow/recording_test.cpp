// SPDX-License-Identifier: Apache-2.0
// What --roam-flow-record records: tasks, which of them waited for which, how long bodies took. In
// virtual time.
#include <gmock/gmock.h>

#include <map>
#include <set>
#include <string>
#include <utility>

#include "flow/flow_part.hpp"
#include "roam/flow/flow.hpp"
#include "roam/roam.hpp"
#include "roam/trace/run_trace.hpp"
#include "support/simulated.hpp"

namespace roam::flow::recording_test {

namespace {

using ::testing::StartsWith;

void take(int microseconds) { here().compute(std::chrono::microseconds(microseconds)); }

/// The recording of a program on rank 0.
template <class Program>
trace::FlowTrace recorded(Program program, std::uint32_t most, int ranks = 1,
                          std::uint32_t window = 4096) {
  SimulatedJobOptions options = testing::simulated(ranks, 1, 3);
  options.options.trace = ::testing::TempDir() + "roam_flow_recording.json";
  options.options.edit<FlowOptions>().record = most;
  options.options.edit<FlowOptions>().window = window;
  SimulatedJob job(options);
  trace::RankTrace trace;
  const bool ok = job.run([&](Runtime& rt) -> Task<> {
    Flow fl(rt);
    program(fl);
    co_await fl.done();
    if (rt.rank() == 0) rt.add_to_trace(trace);
  });
  EXPECT_TRUE(ok) << job.error();
  return std::move(trace.flow);
}

std::string name_of(const trace::FlowTrace& trace, std::uint32_t task) {
  const std::string& label = trace.labels[trace.tasks[task].label];
  return label.substr(0, label.find(" ("));
}

/// The dependences as "before>task", by names.
std::set<std::string> edges_of(const trace::FlowTrace& trace) {
  std::set<std::string> edges;
  for (const trace::FlowEdge& edge : trace.edges)
    edges.insert(name_of(trace, edge.before) + ">" + name_of(trace, edge.task));
  return edges;
}

TEST(FlowRecording, has_each_task_with_its_time_and_all_that_it_waited_for) {
  const trace::FlowTrace trace = recorded(
      [](Flow& fl) {
        auto a = fl.data<int>().named("a");
        auto b = fl.data<int>();
        auto sum = fl.data(0);
        fl.work(
            {.name = "begin"}, [](Out<int> x) { take(10), *x = 1; }, a);
        fl.work(
            {.name = "left"}, [](const int& x, Accumulate<int, std::plus<>> s) { take(30), s(x); },
            a, sum);
        fl.work(
            {.name = "right"}, [](const int& x, Accumulate<int, std::plus<>> s) { take(20), s(x); },
            a, sum);
        fl.work(
            {.name = "new"}, [](Out<int> x) { take(5), *x = 2; }, a);  // waits for nobody
        fl.work(
            {.name = "again"}, [](int& x) { take(5), ++x; }, a);
        fl.work(
            {.name = "end"}, [](const int& s, const int& x, Out<int> y) { take(40), *y = s + x; },
            sum, a, b);
      },
      100);
  EXPECT_EQ(edges_of(trace), (std::set<std::string>{"begin>left", "begin>right", "new>again",
                                                    "left>end", "right>end", "again>end"}));
  EXPECT_EQ(trace.left_out, 0U);
  ASSERT_EQ(trace.tasks.size(), 6U);
  const std::map<std::string, int> expected{{"begin", 10}, {"left", 30}, {"right", 20},
                                            {"new", 5},    {"again", 5}, {"end", 40}};
  for (std::uint32_t i = 0; i < trace.tasks.size(); ++i) {
    const trace::FlowTask& task = trace.tasks[i];
    const Duration body = std::chrono::microseconds(expected.at(name_of(trace, i)));
    EXPECT_GE(task.busy, body);
    EXPECT_LE(task.busy, body + std::chrono::microseconds(1));  // the simulated runtime's part
    EXPECT_EQ(task.end - task.begin, task.busy);
    EXPECT_EQ(task.parent, trace::FlowTask::none);
  }
  for (const trace::FlowEdge& edge : trace.edges) {
    EXPECT_GE(trace.tasks[edge.task].begin, trace.tasks[edge.before].end);
    if (name_of(trace, edge.before) == "begin") {
      EXPECT_THAT(trace.labels[edge.datum], StartsWith("a (int, recording_test.cpp:"));
    }
  }
}

TEST(FlowRecording, children_know_their_parents_and_siblings) {
  const trace::FlowTrace trace = recorded(
      [](Flow& fl) {
        auto x = fl.data(1);
        fl.work(
            {.name = "parent"},
            [](Flow& inner, Handle<int> y) {
              take(10);
              inner.work(
                  {.name = "first"}, [](int& z) { take(20), ++z; }, y);
              inner.work(
                  {.name = "second"}, [](int& z) { take(30), ++z; }, y);
            },
            x);
        fl.work(
            {.name = "after"}, [](int& y) { take(5), ++y; }, x);
      },
      100);
  EXPECT_EQ(edges_of(trace), (std::set<std::string>{"first>second", "parent>after"}));
  ASSERT_EQ(trace.tasks.size(), 4U);
  for (std::uint32_t i = 0; i < trace.tasks.size(); ++i) {
    const bool is_child = name_of(trace, i) == "first" || name_of(trace, i) == "second";
    ASSERT_EQ(trace.tasks[i].parent != trace::FlowTask::none, is_child) << name_of(trace, i);
    if (is_child) {
      EXPECT_EQ(name_of(trace, trace.tasks[i].parent), "parent");
    }
  }
}

TEST(FlowRecording, the_first_tasks_alone_and_full_windows) {
  const trace::FlowTrace trace = recorded(
      [](Flow& fl) {
        auto x = fl.data(1);
        for (int i = 0; i < 50; ++i)
          fl.work(
              {.name = "one"}, [](int& y) { take(1), ++y; }, x);
      },
      20, 1, 10);
  EXPECT_EQ(trace.tasks.size(), 20U);
  EXPECT_EQ(trace.left_out, 30U);
  EXPECT_EQ(trace.edges.size(), 19U);
  EXPECT_FALSE(trace.stalls.empty());
}

TEST(FlowRecording, what_is_sent_is_known_to_both_ranks) {
  const auto program = [](Flow& fl) {
    auto row = fl.collection<int>(Index<1>{8});
    auto next = fl.collection<int>(Index<1>{8});
    fl.for_each(
        {.name = "fill"}, [](Out<int> x) { *x = 1; }, row.own());
    fl.for_each(
        {.name = "read"}, [](Out<int> y, const int& left) { *y = left; }, next.own(), row.at(-1));
  };
  std::set<std::uint64_t> sent;
  std::set<std::uint64_t> received;
  const trace::FlowTrace trace = recorded(program, 100, 3);  // of rank 0, which only sends
  for (const trace::FlowTask& task : trace.tasks) {
    if (task.parcel != 0) (task.parcel_use == 1 ? sent : received).insert(task.parcel);
  }
  EXPECT_EQ(sent.size(), 1U);
  EXPECT_TRUE(received.empty());
  EXPECT_EQ(edges_of(trace), (std::set<std::string>{"fill>read", "fill>send"}));
}

TEST(FlowRecording, reductions_are_known_to_those_that_contribute) {
  const auto program = [](Flow& fl) {
    auto row = fl.collection<int>(Index<1>{6});
    auto sum = fl.data<int>();
    auto most = fl.data<int>();
    fl.for_each(
        {.name = "both"},
        [](Out<int> x, Index<1> at, Reduce<int, std::plus<>> s, Reduce<int, Max> m) {
          *x = static_cast<int>(at[0]), s(*x), m(*x);
        },
        row.own(), row.index(), sum, most);
    fl.for_each(
        {.name = "one"}, [](const int& x, Reduce<int, std::plus<>> s) { s(x); }, row.own(), sum);
  };
  const trace::FlowTrace trace = recorded(program, 100, 3);
  std::map<std::uint64_t, std::multiset<std::uint32_t>> uses;
  for (const trace::FlowTask& task : trace.tasks)
    if (task.parcel != 0) uses[task.parcel].insert(task.parcel_use);
  std::set<std::multiset<std::uint32_t>> kinds;
  for (const auto& [number, of] : uses) kinds.insert(of);
  EXPECT_EQ(kinds, (std::set<std::multiset<std::uint32_t>>{{2, 2, 3, 3}, {2, 2, 3}}))
      << "two elements are here; the first operation has two reductions";
}

}  // namespace

}  // namespace roam::flow::recording_test
