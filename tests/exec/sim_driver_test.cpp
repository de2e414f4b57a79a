// SPDX-License-Identifier: Apache-2.0
#include "roam/exec/detail/sim_driver.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "exec/exec_helpers.hpp"

namespace roam::exec::sim_driver_test {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using testing::Job;
using testing::Pause;
using testing::Root;

/// Hands jobs to an engine at given instants, as a network would.
class Mailbox final : public Poller {
 public:
  explicit Mailbox(Engine& engine) : engine_(engine) {}
  void deliver_at(Instant when, Job::Action action) { arrivals_.emplace(when, std::move(action)); }
  std::size_t poll(Instant now) override {
    std::size_t done = 0;
    for (; !arrivals_.empty() && arrivals_.begin()->first <= now; ++done) {
      engine_.push(Job::make(std::move(arrivals_.begin()->second)));
      arrivals_.erase(arrivals_.begin());
    }
    return done;
  }

 private:
  Engine& engine_;
  std::multimap<Instant, Job::Action> arrivals_;
};

/// Two ranks that send each other jobs until a given number have run; records who ran what when.
class PingPong {
 public:
  PingPong(const SimDriverOptions& options, ProgressMode progress = ProgressMode::shared)
      : driver_(clock_, options) {
    for (std::size_t i = 0; i < 2; ++i) {
      engines_.push_back(
          std::make_unique<Engine>(EngineOptions{.workers = 2, .progress = progress}, clock_));
      mailboxes_.push_back(std::make_unique<Mailbox>(*engines_[i]));
      engines_[i]->add_poller(mailboxes_[i].get());
      driver_.add(*engines_[i]);
      for (int job = 0; job < 4; ++job) start(i, job);
    }
    ended_ = driver_.run();
    events_ = driver_.events();
  }
  ~PingPong() {
    for (const auto& engine : engines_) engine->drop_queued();
  }
  PingPong(const PingPong&) = delete;
  PingPong& operator=(const PingPong&) = delete;

  bool ended_ = false;
  std::uint64_t events_ = 0;
  std::vector<std::string> log;

 private:
  void start(std::size_t rank, int job) {
    engines_[rank]->push(
        Job::make([this, rank, job](Context& context) { run(context, rank, job); }));
  }
  void run(Context& context, std::size_t rank, int job) {
    log.push_back(std::to_string(clock_.now().count()) + " rank " + std::to_string(rank) +
                  " worker " + std::to_string(context.slot) + " job " + std::to_string(job));
    engines_[rank]->compute(microseconds(10));  // the same for all, so that there are many ties
    if (log.size() >= 200) {
      for (const auto& engine : engines_) engine->stop();
      return;
    }
    const Instant when = clock_.now() + microseconds(10);
    mailboxes_[1 - rank]->deliver_at(when,
                                     [this, rank, job](Context& c) { run(c, 1 - rank, job + 4); });
    driver_.arrival(1 - rank, when);
  }

  core::VirtualClock clock_;
  SimDriver driver_;
  std::vector<std::unique_ptr<Engine>> engines_;
  std::vector<std::unique_ptr<Mailbox>> mailboxes_;
};

TEST(SimDriver, R1_the_same_seed_gives_the_same_run) {
  for (const bool shuffle : {false, true}) {
    const SimDriverOptions options{
        .seed = 5, .shuffle_ties = shuffle, .step_jitter = microseconds(3)};
    const PingPong first(options);
    const PingPong second(options);
    EXPECT_TRUE(first.ended_);
    EXPECT_GE(first.log.size(), 200U);
    EXPECT_EQ(first.log, second.log);
    EXPECT_EQ(first.events_, second.events_);
  }
}

TEST(SimDriver, another_seed_shuffles_ties) {
  const PingPong first({.seed = 1, .shuffle_ties = true});
  const PingPong second({.seed = 2, .shuffle_ties = true});
  EXPECT_NE(first.log, second.log);
  const PingPong plain({.seed = 1});
  const PingPong same({.seed = 2});
  EXPECT_EQ(plain.log, same.log) << "without shuffling or jitter the seed plays no part";
}

TEST(SimDriver, time_never_goes_back) {
  const PingPong run({.seed = 3, .shuffle_ties = true, .step_jitter = microseconds(3)});
  long last = 0;
  for (const std::string& line : run.log) {
    const long now = std::stol(line);
    EXPECT_GE(now, last);
    last = now;
  }
}

TEST(SimDriver, A8_progress_modes_run_in_virtual_time_too) {
  for (const ProgressMode mode : {ProgressMode::dedicated, ProgressMode::polling}) {
    const PingPong run({}, mode);
    EXPECT_TRUE(run.ended_);
    EXPECT_EQ(run.log, PingPong({}).log);
  }
}

TEST(SimDriver, timers_fire_in_every_progress_mode) {
  for (const ProgressMode mode : {ProgressMode::shared, ProgressMode::dedicated}) {
    core::VirtualClock clock;
    SimDriver driver(clock, {});
    Engine engine({.workers = 2, .progress = mode}, clock);
    driver.add(engine);
    auto program = [&]() -> Task<> {
      for (int i = 0; i < 3; ++i) co_await Pause(milliseconds(10));
    };
    Root root(program(), [&] { engine.stop(); });
    engine.push(&root);
    std::uint64_t limit = 10'000;
    driver.set_interruption([&](std::uint64_t events) {
      if (events > limit) throw std::runtime_error("virtual time stands still");
    });
    EXPECT_TRUE(driver.run());
    EXPECT_EQ(clock.now(), milliseconds(30));
    engine.drop_queued();
  }
}

TEST(SimDriver, workers_of_one_rank_compute_at_the_same_time) {
  core::VirtualClock clock;
  SimDriver driver(clock, {});
  Engine engine({.workers = 4}, clock);
  driver.add(engine);
  int left = 8;
  for (int i = 0; i < 8; ++i) {
    engine.push(Job::make([&](Context&) {
      engine.compute(milliseconds(10));
      if (--left == 0) engine.stop();
    }));
  }
  EXPECT_TRUE(driver.run());
  EXPECT_EQ(clock.now(), milliseconds(20));
  engine.drop_queued();
  for (WorkerIndex w = 0; w < 4; ++w) {
    EXPECT_EQ(engine.stats(w).busy(), milliseconds(20));
    EXPECT_EQ(engine.stats(w).idle(), Duration(0));
  }
}

TEST(SimDriver, an_idle_workers_time_is_idle_time) {
  core::VirtualClock clock;
  SimDriver driver(clock, {});
  Engine engine({.workers = 1}, clock);
  driver.add(engine);
  auto program = [&]() -> Task<> {
    engine.compute(milliseconds(1));
    co_await Pause(milliseconds(10));
    engine.compute(milliseconds(2));
  };
  Root root(program(), [&] { engine.stop(); });
  engine.push(&root);
  EXPECT_TRUE(driver.run());
  EXPECT_EQ(engine.stats(0).busy(), milliseconds(3));
  EXPECT_EQ(engine.stats(0).idle(), milliseconds(10));
  EXPECT_EQ(engine.stats(0).overhead(), Duration(0));
  engine.drop_queued();
}

TEST(SimDriver, says_when_nothing_can_happen_any_more) {
  core::VirtualClock clock;
  SimDriver driver(clock, {});
  Engine engine({.workers = 2}, clock);
  driver.add(engine);
  engine.push(Job::make([](Context&) {}));
  EXPECT_FALSE(driver.run());
}

TEST(SimDriver, interruptions_see_every_event) {
  core::VirtualClock clock;
  SimDriver driver(clock, {});
  Engine engine({}, clock);
  driver.add(engine);
  std::uint64_t calls = 0;
  driver.set_interruption([&](std::uint64_t events) {
    EXPECT_EQ(events, ++calls);
    if (events == 3) engine.stop();
  });
  EXPECT_FALSE(engine.stopped());
  for (int i = 0; i < 10; ++i) engine.push(Job::make([](Context&) {}));
  EXPECT_TRUE(driver.run());
  EXPECT_GE(calls, 3U);
  EXPECT_LT(calls, 10U);
  engine.drop_queued();
}

}  // namespace
}  // namespace roam::exec::sim_driver_test
