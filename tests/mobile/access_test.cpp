// SPDX-License-Identifier: Apache-2.0
// What access a method has while it awaits; priorities, cancellation and deadlines.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "roam/core/error.hpp"
#include "roam/core/random.hpp"
#include "support/simulated.hpp"

namespace access_test {

namespace {

using std::chrono::microseconds;

struct Log {
  std::vector<std::string> lines;
  void add(const std::string& line) { lines.push_back(line); }
};
Log* events = nullptr;  // of the simulation that runs now; the tests are single-threaded

struct Piece {
  int value = 0;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(value);
  }
  int slow(int n) {
    events->add("slow");
    roam::here().compute(microseconds(100));
    return n;
  }
  void set(int n) {
    value = n;
    events->add("set " + std::to_string(n));
  }
  int get() const { return value; }
  void note(int n) { events->add("note " + std::to_string(n)); }
  roam::Task<int> keeps(roam::mobile_ptr<Piece> other) {
    value = 1;
    auto reply = other.call<&Piece::slow>(5);
    const int answer = co_await reply;
    co_return 10 * value + answer;
  }
  roam::Task<int> lets_others(roam::mobile_ptr<Piece> other) {
    value = 1;
    const int answer = co_await roam::without_access(other.call<&Piece::slow>(5));
    events->add("goes on");
    co_return 10 * value + answer;
  }
  roam::Task<int> lets_others_after_computing(roam::mobile_ptr<Piece> other) {
    roam::here().compute(microseconds(300));
    co_return co_await lets_others(other);
  }
};

using Program = roam::Task<> (*)(roam::Runtime&);

// Runs a program on simulated ranks; returns why it failed.
std::string simulate(Program program, Log& log, std::uint64_t seed = 1, std::uint32_t workers = 1,
                     std::int32_t ranks = 2) {
  events = &log;
  roam::SimulatedJobOptions options = roam::testing::simulated(ranks, seed, workers);
  options.shuffle_ties = true;
  roam::SimulatedJob job(options);
  return job.run(program) ? "" : job.error();
}

std::size_t index_of(const Log& log, const std::string& line) {
  return static_cast<std::size_t>(std::find(log.lines.begin(), log.lines.end(), line) -
                                  log.lines.begin());
}

template <auto Method>
roam::Task<> two_calls(roam::Runtime& rt) {
  if (rt.rank() != 0) co_return;
  const auto one = rt.create<Piece>();
  const auto other = rt.create<Piece>();
  other.migrate(1);
  auto first = one.call<Method>(other);
  one.send<&Piece::set>(7);
  const int answer = co_await first;
  events->add("answer " + std::to_string(answer));
}

TEST(Access, M4_a_method_that_awaits_keeps_its_access) {
  Log log;
  EXPECT_EQ(simulate(&two_calls<&Piece::keeps>, log), "");
  EXPECT_LT(index_of(log, "answer 15"), log.lines.size());
  EXPECT_LT(index_of(log, "set 7"), log.lines.size());
}

TEST(Access, M4_unless_it_lets_others_run_meanwhile) {
  for (std::uint64_t seed = 1; seed < 30; ++seed) {
    Log log;
    EXPECT_EQ(simulate(&two_calls<&Piece::lets_others>, log, seed, 1 + seed % 2), "");
    EXPECT_LT(index_of(log, "set 7"), index_of(log, "goes on"));
    EXPECT_EQ(log.lines.back(), "answer 75");
  }
}

TEST(Access, M4_it_lets_others_run_after_what_it_has_computed) {
  for (std::uint64_t seed = 1; seed < 30; ++seed) {
    Log log;
    EXPECT_EQ(simulate(&two_calls<&Piece::lets_others_after_computing>, log, seed, 1 + seed % 2),
              "");
    EXPECT_EQ(log.lines.back(), "answer 75");
  }
}

roam::Task<> move_while_it_waits(roam::Runtime& rt) {
  if (rt.rank() != 0) co_return;
  const auto one = rt.create<Piece>();
  const auto other = rt.create<Piece>();
  auto first = one.call<&Piece::lets_others>(other);
  one.migrate(1);
  one.send<&Piece::note>(1);
  const int answer = co_await first;
  EXPECT_EQ(answer, 15);
  const int value = co_await one.call<&Piece::get>();
  EXPECT_EQ(value, 1);
  EXPECT_EQ(rt.objects().place_of(one.id())->rank, roam::Rank(1));
}

TEST(Access, M5_an_object_stays_until_a_method_without_access_has_ended) {
  for (std::uint64_t seed = 1; seed < 30; ++seed) {
    Log log;
    EXPECT_EQ(simulate(&move_while_it_waits, log, seed), "");
    EXPECT_LT(index_of(log, "goes on"), log.lines.size());
  }
}

struct Half {
  roam::mobile_ptr<Half> other;
  double value = 0;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(other, value);
  }
  void set(roam::mobile_ptr<Half> its, double amount) {
    other = its;
    value = amount;
  }
  double get() const { return value; }
  roam::Task<> average() {
    const double theirs = co_await roam::without_access(other.call<&Half::get>());
    value = (value + theirs) / 2;
  }
};

// Two objects that are to move both wait, without access, for a call to the other.
roam::Task<> average_while_both_are_to_move(roam::Runtime& rt) {
  if (rt.rank() != 0) co_return;
  roam::core::Random random(rt.options().seed);
  const auto some_rank = [&] { return static_cast<std::int32_t>(random.below(3)); };
  const std::vector<roam::mobile_ptr<Half>> halves{rt.create<Half>(), rt.create<Half>()};
  for (const std::size_t i : {0U, 1U}) {
    halves[i].send<&Half::set>(halves[1 - i], 8.0 * static_cast<double>(i));
    halves[i].migrate(some_rank());
    co_await halves[i].call<&Half::get>();
  }
  auto first = halves[0].call<&Half::average>();
  auto second = halves[1].call<&Half::average>();
  for (const auto& half : halves) {
    half.migrate(some_rank());
    if (random.below(2) == 0) half.migrate(some_rank());  // back, perhaps
  }
  co_await first;
  co_await second;
  const double left = co_await halves[0].call<&Half::get>();
  const double right = co_await halves[1].call<&Half::get>();
  EXPECT_GT(left, 0.0);
  EXPECT_LT(right, 8.0);
}

TEST(Access, M4_who_waits_without_access_is_not_kept_waiting_by_a_move) {
  for (std::uint64_t seed = 1; seed < 200; ++seed) {
    Log log;
    EXPECT_EQ(simulate(&average_while_both_are_to_move, log, seed, 1 + seed % 2, 3), "")
        << "seed " << seed;
  }
}

/// Calls that have started less those that have ended.
class RunCounter final : public roam::mobile::LoadListener {
 public:
  void notify(roam::ObjectId, const roam::mobile::Record&, roam::mobile::Activity& activity,
              Change) override {
    if (activity.running > running_) ++started_;
    running_ = activity.running;
  }
  void measured(std::uint32_t, double, double, roam::mobile::Record&) override {}
  [[nodiscard]] std::uint32_t running() const { return running_; }
  [[nodiscard]] int started_so_far() const { return started_; }

 private:
  std::uint32_t running_ = 0;
  int started_ = 0;
};

roam::Task<> wait_without_access_under_a_listener(roam::Runtime& rt) {
  if (rt.rank() != 0) co_return;
  const auto other = rt.create<Piece>();
  other.migrate(1);
  co_await other.call<&Piece::get>();
  RunCounter runs;
  rt.objects().set_load_listener(&runs);
  const auto one = rt.create<Piece>();
  for (int i = 0; i < 3; ++i) co_await one.call<&Piece::lets_others>(other);
  EXPECT_EQ(runs.started_so_far(), 3);
  EXPECT_EQ(runs.running(), 0U);
  rt.objects().set_load_listener(nullptr);
}

TEST(Access, a_call_that_has_waited_without_access_is_one_run_for_the_balancer) {
  Log log;
  EXPECT_EQ(simulate(&wait_without_access_under_a_listener, log), "");
}

roam::Task<> destroy_while_it_waits(roam::Runtime& rt) {
  if (rt.rank() != 0) co_return;
  const auto one = rt.create<Piece>();
  const auto other = rt.create<Piece>();
  auto first = one.call<&Piece::lets_others>(other);
  one.destroy();
  try {
    co_await first;
    events->add("answered");
  } catch (const roam::RemoteError& error) {
    events->add(std::string(error.what()).find("waited without access") != std::string::npos
                    ? "gone"
                    : error.what());
  }
}

TEST(Access, M8_a_method_without_access_learns_that_its_object_has_ended) {
  for (std::uint64_t seed = 1; seed < 30; ++seed) {
    Log log;
    EXPECT_EQ(simulate(&destroy_while_it_waits, log, seed, 1 + seed % 2), "");
    EXPECT_EQ(log.lines.back(), "gone");
  }
}

roam::Task<> urgent_calls(roam::Runtime& rt) {
  if (rt.rank() != 0) co_return;
  std::vector<roam::mobile_ptr<Piece>> pieces;
  for (int i = 0; i < 5; ++i) pieces.push_back(rt.create<Piece>());
  for (int i = 0; i < 5; ++i) pieces[static_cast<std::size_t>(i)].send<&Piece::note>(i);
  pieces[3].send_with<&Piece::note>({.priority = roam::Priority::high}, 13);
  pieces[4].send_with<&Piece::note>({.priority = roam::Priority::low}, 14);
  co_await rt.quiescence();
}

TEST(Access, an_object_with_an_urgent_call_comes_first) {
  Log log;
  EXPECT_EQ(simulate(
                [](roam::Runtime& rt) -> roam::Task<> {
                  if (rt.rank() == 0) return urgent_calls(rt);
                  return [](roam::Runtime& r) -> roam::Task<> { co_await r.quiescence(); }(rt);
                },
                log),
            "");
  // The urgent call waits behind an earlier one of its object, which therefore becomes urgent, too.
  EXPECT_EQ(log.lines, (std::vector<std::string>{"note 3", "note 13", "note 0", "note 1", "note 2",
                                                 "note 4", "note 14"}));
}

template <class Reply>
roam::Task<std::string> end_of(Reply& reply) {
  try {
    co_await reply;
    co_return "answered";
  } catch (const roam::DeadlineExceeded&) {
    co_return "too late";
  } catch (const roam::Cancelled&) {
    co_return "cancelled";
  }
}

roam::Task<> cancel_calls(roam::Runtime& rt) {
  if (rt.rank() != 0) co_return;
  const auto one = rt.create<Piece>();
  one.migrate(1);
  co_await one.call<&Piece::get>();
  auto running = one.call<&Piece::slow>(1);
  auto waiting = one.call<&Piece::note>(2);
  auto after = one.call<&Piece::note>(3);
  waiting.cancel();
  events->add(co_await end_of(waiting));
  events->add(co_await end_of(after));
  events->add(co_await end_of(running));
  running.cancel();  // no effect any more
}

TEST(Cancellation, a_call_that_waits_is_not_run_and_those_behind_it_are) {
  Log log;
  EXPECT_EQ(simulate(&cancel_calls, log), "");
  EXPECT_EQ(log.lines,
            (std::vector<std::string>{"cancelled", "slow", "note 3", "answered", "answered"}));
}

roam::Task<> cancel_at_random(roam::Runtime& rt) {
  if (rt.rank() != 0) co_return;
  roam::core::Random random(rt.options().seed);
  const auto one = rt.create<Piece>();
  for (int i = 0; i < 40; ++i) {
    if (random.below(4) == 0) one.migrate(static_cast<std::int32_t>(random.below(2)));
    auto reply = one.call<&Piece::slow>(i);
    auto waiting = one.call<&Piece::note>(i);
    if (random.below(2) == 0) co_await one.call<&Piece::get>();
    waiting.cancel();
    events->add(co_await end_of(waiting));
    if (random.below(3) == 0) reply.cancel();
    events->add(co_await end_of(reply));
  }
  co_await one.call<&Piece::get>();
}

TEST(Cancellation, M3_order_holds_whatever_is_cancelled_while_the_object_moves) {
  for (std::uint64_t seed = 1; seed < 200; ++seed) {
    Log log;
    EXPECT_EQ(simulate(&cancel_at_random, log, seed, 1 + seed % 2), "") << "seed " << seed;
    EXPECT_GT(log.lines.size(), 80U);
  }
}

roam::Task<> call_with_deadline(roam::Runtime& rt) {
  if (rt.rank() != 0) co_return;
  const auto one = rt.create<Piece>();
  one.migrate(1);
  co_await one.call<&Piece::get>();
  const roam::CallOptions soon{.deadline = microseconds(50)};
  const roam::CallOptions late{.deadline = microseconds(500)};
  const roam::Instant begin = rt.now();
  auto in_time = one.call_with<&Piece::slow>(late, 1);
  auto not_run = one.call_with<&Piece::note>(soon, 2);
  events->add(co_await end_of(not_run));
  EXPECT_GE(rt.now() - begin, microseconds(50));
  EXPECT_LT(rt.now() - begin, microseconds(60));
  events->add(co_await end_of(in_time));
}

TEST(Cancellation, a_deadline_ends_the_waiting) {
  Log log;
  EXPECT_EQ(simulate(&call_with_deadline, log), "");
  EXPECT_EQ(log.lines, (std::vector<std::string>{"slow", "too late", "answered"}));
}

}  // namespace

}  // namespace access_test
