// SPDX-License-Identifier: Apache-2.0
// B4: the order of a rank's ready work is chosen by name; no order breaks a promise.
#include "roam/exec/schedulers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <string>
#include <vector>

#include "roam/core/error.hpp"
#include "roam/runtime/run.hpp"
#include "support/simulated.hpp"

namespace roam::exec::schedulers_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Item final : ReadyItem {
  Item(Priority urgency, float announced) { priority = urgency, announced_work = announced; }
  void run(Context&) override {}
};

// Pushes five items and returns their numbers, in the order in which they were pushed, as pop gives
// them.
std::vector<std::size_t> order_of(const std::string& name) {
  const auto scheduler = make_scheduler({name, {}}, 2);
  std::deque<Item> items;
  items.emplace_back(Priority::low, 9.0F);
  items.emplace_back(Priority::normal, 1.0F);
  items.emplace_back(Priority::normal, -1.0F);
  items.emplace_back(Priority::normal, 2.0F);
  items.emplace_back(Priority::high, 0.0F);
  for (std::size_t i = 0; i < items.size(); ++i)
    scheduler->push(static_cast<WorkerIndex>(i % 3), &items[i]);
  std::vector<std::size_t> order;
  while (ReadyItem* item = scheduler->pop(static_cast<WorkerIndex>(order.size() % 2))) {
    std::size_t i = 0;
    while (&items[i] != item) ++i;
    order.push_back(i);
  }
  return order;
}

TEST(B4Schedulers, each_has_its_order) {
  EXPECT_THAT(order_of("fifo"), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(order_of("lifo"), ElementsAre(4, 3, 2, 1, 0));
  EXPECT_THAT(order_of("priority"), ElementsAre(4, 1, 2, 3, 0));
  EXPECT_THAT(order_of("largest_first"), ElementsAre(4, 2, 3, 1, 0));
}

TEST(B4Schedulers, are_known_by_name) {
  EXPECT_THAT(scheduler_names(),
              ElementsAre("fifo", "largest_first", "lifo", "priority", "stealing"));
  EXPECT_EQ(make_scheduler({"stealing", {}}, 2), nullptr);  // the engine's own
}

std::string complaint(const std::string& choice) {
  Options options = roam::testing::simulated(2).options;
  options.scheduler = parse_plugin_choice(choice);
  bool has_run = false;
  try {
    run(options, [&has_run](Runtime&) -> Task<> {
      has_run = true;
      co_return;
    });
  } catch (const ConfigError& error) {
    EXPECT_FALSE(has_run);
    return error.what();
  }
  return "";
}

TEST(B4Schedulers, a_wrong_name_or_parameter_stops_before_the_start) {
  EXPECT_EQ(complaint("lifo"), "");
  EXPECT_THAT(
      complaint("filo"),
      AllOf(HasSubstr("--roam-scheduler: there is no scheduler \"filo\""),
            HasSubstr("fifo, largest_first, lifo, priority, stealing"), HasSubstr("did you mean")));
  EXPECT_THAT(complaint("fifo:depth=2"), HasSubstr("scheduler fifo has no parameter \"depth\""));
}

struct Ledger {
  std::vector<int> messages;  // the messages from rank 0, as rank 1 ran them
  std::vector<int> objects;   // in the order they ran
  bool operator==(const Ledger&) const = default;
};

struct Worker {
  int number = 0;
  double work = 0;
  void advance(std::uint64_t address) {
    here().compute(from_seconds(work));
    reinterpret_cast<Ledger*>(address)->objects.push_back(number);
  }
};

void note(std::uint64_t address, int number) {
  reinterpret_cast<Ledger*>(address)->messages.push_back(number);
}

// On a single worker, all items are ready before it begins.
Ledger run_with(const std::string& scheduler, std::uint32_t workers) {
  Ledger result;
  const auto address = reinterpret_cast<std::uint64_t>(&result);
  SimulatedJobOptions options = roam::testing::simulated(2, 3, workers);
  options.options.scheduler = {scheduler, {}};
  SimulatedJob job(options);
  const bool is_over = job.run([address](Runtime& rt) -> Task<> {
    if (rt.rank() != 0) co_return;
    for (int i = 0; i < 200; ++i) rt.send<&note>(1, address, i);
    for (int i = 0; i < 8; ++i) {
      const double work = 1e-3 * (1 + i * 3 % 8);
      rt.create<Worker>(Worker{i, work})
          .send_with<&Worker::advance>({.cost_seconds = work}, address);
    }
  });
  EXPECT_TRUE(is_over) << job.error();
  return result;
}

TEST(B4Schedulers, keep_the_order_of_messages_and_lose_nothing) {  // A1, A2
  for (const std::string& name : scheduler_names()) {
    for (const std::uint32_t workers : {1U, 3U}) {
      const Ledger result = run_with(name, workers);
      EXPECT_EQ(result.objects.size(), 8U) << name;
      ASSERT_EQ(result.messages.size(), 200U) << name;
      for (int i = 0; i < 200; ++i) ASSERT_EQ(result.messages[static_cast<std::size_t>(i)], i);
      EXPECT_EQ(result, run_with(name, workers)) << name << ": virtual time, the same run (R1)";
    }
  }
}

TEST(B4Schedulers, order_the_objects_of_a_rank) {
  EXPECT_THAT(run_with("fifo", 1).objects, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(run_with("lifo", 1).objects, ElementsAre(7, 6, 5, 4, 3, 2, 1, 0));
  EXPECT_THAT(run_with("largest_first", 1).objects, ElementsAre(5, 2, 7, 4, 1, 6, 3, 0));
}

void count(std::uint64_t address) { ++*reinterpret_cast<std::atomic<int>*>(address); }

TEST(B4Schedulers, on_threads_every_call_runs_once) {
  for (const std::string& name : scheduler_names()) {
    Options options;
    options.ranks = 2;
    options.ranks_given = true;
    options.workers = 2;
    options.scheduler = {name, {}};
    options.transport = "in-process";
    std::atomic<int> runs{0};
    const auto address = reinterpret_cast<std::uint64_t>(&runs);
    EXPECT_EQ(run(options,
                  [address](Runtime& rt) -> Task<> {
                    for (int i = 0; i < 2000; ++i) {
                      rt.send<&count>(1 - rt.rank().value(), address);
                    }
                    co_return;
                  }),
              0);
    EXPECT_EQ(runs.load(), 4000) << name;
  }
}

}  // namespace
}  // namespace roam::exec::schedulers_test
