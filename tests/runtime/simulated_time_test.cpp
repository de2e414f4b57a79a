// SPDX-License-Identifier: Apache-2.0
// What a simulated handler sends after it has computed leaves at that later time, wherever the
// handler runs.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>

#include "roam/roam.hpp"
#include "roam/runtime/simulated_job.hpp"

namespace roam::simulated_time_test {
namespace {

constexpr int messages = 200;

struct Counts {
  int heard = 0;
  int too_early = 0;
};
Counts counts;  // of the simulation that runs now, on this one thread

void hear(std::int64_t sent_at) {
  ++counts.heard;
  if (here().now().count() <= sent_at) ++counts.too_early;
}

struct Answerer {
  std::int32_t answered = 0;
  void compute_and_answer() {
    ++answered;
    here().compute(std::chrono::microseconds(10));
    here().send<&hear>(1, static_cast<std::int64_t>(here().now().count()));
  }
};

void work_a_second() { here().compute(std::chrono::seconds(1)); }

/// Lets something else happen wherever possible: handlers run inside the progress of their rank,
/// too.
class Interrupting final : public exec::SimChoices {
 public:
  Preemption preemption(std::uint32_t /*engine*/) override { return {.events = 1}; }
};

TEST(SimulatedTime, messages_of_handlers_inside_progress_leave_in_time) {
  counts = {};
  Interrupting choices;
  SimulatedJobOptions options;
  options.options.simulate = Machine{};
  options.options.simulate->ranks = 2;
  options.options.simulate->workers_per_rank = 2;
  options.choices = &choices;
  SimulatedJob job(options);
  EXPECT_TRUE(job.run([](Runtime& rt) -> Task<> {
    mobile_ptr<Answerer> answerers[8];
    for (auto& answerer : answerers) {
      const auto own = rt.create<Answerer>(Answerer{});
      answerer = co_await rt.broadcast(0, own);
    }
    for (int i = 0; rt.rank() == 1 && i < messages; ++i)
      answerers[i % 8].send<&Answerer::compute_and_answer>();
    co_await rt.quiescence();
  })) << job.error();
  EXPECT_EQ(counts.heard, messages);
  EXPECT_EQ(counts.too_early, 0);
}

/// Ten simulated seconds of work on each of so many ranks.
struct Shown {
  std::string line;
  Instant end{0};
  std::uint64_t messages = 0;
};
Shown work_for_ten_seconds(bool progress) {
  SimulatedJobOptions options;
  options.options.simulate = Machine{};
  options.options.simulate->ranks = 100;
  options.options.simulate->workers_per_rank = 1;
  options.options.progress = progress;
  Shown shown;
  ::testing::internal::CaptureStderr();
  {
    SimulatedJob job(options);
    EXPECT_TRUE(job.run([&](Runtime& rt) -> Task<> {
      for (int i = 0; i < 10; ++i) rt.send<&work_a_second>(rt.rank());
      co_await rt.quiescence();
      shown.messages += rt.statistics().messages_sent;
    }));
    shown.end = job.now();
  }
  shown.line = ::testing::internal::GetCapturedStderr();
  return shown;
}

TEST(SimulatedTime, progress_is_shown_without_a_message) {
  const Shown without = work_for_ten_seconds(false);
  const Shown with = work_for_ten_seconds(true);
  EXPECT_EQ(with.end, without.end);
  EXPECT_EQ(with.messages, without.messages);
  EXPECT_EQ(without.line, "");
  EXPECT_NE(with.line.find("10.0 s  1,"), std::string::npos)
      << with.line;  // 1,000 and more handlers
}

}  // namespace
}  // namespace roam::simulated_time_test
