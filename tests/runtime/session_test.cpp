// SPDX-License-Identifier: Apache-2.0
// A8: a rank driven from outside, in-process. Under MPI: tests/mpi/session.cpp.
#include <gmock/gmock.h>

#include <unistd.h>

#include <atomic>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "roam/balance/detail/phases.hpp"
#include "roam/core/error.hpp"
#include "roam/roam.hpp"
#include "roam/transport/in_process.hpp"

namespace roam::session_test {

using ::testing::HasSubstr;

/// What handlers note in the tests on one thread: they must always run inside a poll.
struct Notes {
  bool polling = false;
  int inside = 0;
  int outside = 0;
};
Notes& notes() {
  static Notes all;
  return all;
}
void note() { ++(notes().polling ? notes().inside : notes().outside); }
Task<> note_twice() {
  note();
  co_await here().request<&note>((here().rank().value() + 1) % here().size());
  note();
}

/// All ranks of an in-process network on the calling thread.
class OnOneThread : public ::testing::TestWithParam<int> {
 protected:
  OnOneThread() : network(GetParam()) {
    notes() = {};
    for (const Rank rank : network.local_ranks()) sessions.emplace_back(network, rank);
  }
  bool poll_all() {
    notes().polling = true;
    bool done = false;
    for (Session& session : sessions) done = session.poll() || done;
    notes().polling = false;
    return done;
  }
  void poll_until(const std::function<bool()>& condition) {
    for (int i = 0; !condition(); ++i) {
      ASSERT_LT(i, 10'000'000);
      poll_all();
    }
  }
  [[nodiscard]] bool all_over() const {
    for (const Session& session : sessions) {
      if (!session.is_over()) return false;
    }
    return true;
  }

  transport::InProcessNetwork network;
  std::deque<Session> sessions;
};
INSTANTIATE_TEST_SUITE_P(Ranks, OnOneThread, ::testing::Values(1, 2, 3, 5));

TEST_P(OnOneThread, A8_handlers_and_coroutines_run_inside_poll_alone) {
  const int size = GetParam();
  for (Session& session : sessions) {
    for (int r = 0; r < size; ++r) session.runtime().send<&note_twice>(r);
  }
  EXPECT_EQ(notes().inside + notes().outside, 0) << "sending runs nothing";
  poll_until([&] { return notes().inside == 3 * size * size; });
  for (Session& session : sessions)
    session.start([](Runtime&) -> Task<> { co_await note_twice(); });
  EXPECT_EQ(notes().inside, 3 * size * size) << "nor does starting";
  poll_until([&] { return all_over(); });
  EXPECT_EQ(notes().inside, 3 * size * size + 3 * size);
  for (Session& session : sessions) session.finish();
  EXPECT_EQ(notes().outside, 0);
  EXPECT_FALSE(poll_all()) << "it is over";
}

TEST_P(OnOneThread, the_job_lasts_until_the_last_rank_has_started) {
  int ended = 0;
  const auto program = [&ended](Runtime& rt) -> Task<> {
    co_await rt.quiescence();
    ++ended;
  };
  for (std::size_t r = 1; r < sessions.size(); ++r) sessions[r].start(program);
  for (int i = 0; i < 2000; ++i) poll_all();
  EXPECT_EQ(ended, 0) << "rank 0 may still bring work";
  EXPECT_FALSE(sessions[0].is_over());
  sessions[0].runtime().send<&note>(GetParam() - 1);  // as it does
  poll_until([] { return notes().inside == 1; });
  sessions[0].start(program);
  poll_until([&] { return all_over(); });
  EXPECT_EQ(ended, GetParam());
  for (Session& session : sessions) session.finish();
}

TEST_P(OnOneThread, a_second_program_is_an_error) {
  for (Session& session : sessions) session.start([](Runtime&) -> Task<> { co_return; });
  try {
    sessions[0].start([](Runtime&) -> Task<> { co_return; });
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("rank 0"));
  }
  poll_until([&] { return all_over(); });
}

/// Runs each rank on a thread of its own; returns what finish() threw there.
std::vector<std::string> on_threads(int ranks, const std::function<void(Session&)>& main) {
  transport::InProcessNetwork network(ranks);
  std::vector<std::string> errors(static_cast<std::size_t>(ranks));
  std::vector<std::thread> threads;
  for (const Rank rank : network.local_ranks()) {
    threads.emplace_back([&, rank] {
      try {
        Session session(network, rank);
        main(session);
      } catch (const Error& error) {
        errors[rank.index()] = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return errors;
}

Task<> sum_up(Runtime& rt, int& sum) {
  co_await rt.quiescence();
  sum = co_await rt.allreduce<std::plus<>>(1);
}

TEST(SessionsOnThreads, finish_plays_the_part_until_the_job_is_over) {
  for (const int ranks : {1, 2, 4}) {
    for (int round = 0; round < 20; ++round) {
      const auto errors = on_threads(ranks, [ranks](Session& session) {
        int sum = 0;
        session.start([&sum](Runtime& rt) { return sum_up(rt, sum); });
        // Some poll a little, one does not at all.
        for (int i = 0; i < 100 * session.runtime().rank().value(); ++i) (void)session.poll();
        session.finish();
        session.finish();
        EXPECT_TRUE(session.is_over());
        EXPECT_EQ(sum, ranks);
      });
      EXPECT_THAT(errors, ::testing::Each(""));
    }
  }
}

TEST(SessionsOnThreads, ranks_without_a_program_only_finish) {
  std::atomic<int> sum{0};
  const auto errors = on_threads(3, [&sum](Session& session) {
    int mine = 0;
    if (session.runtime().rank() == 1) {
      session.start([](Runtime& rt) -> Task<> { co_await rt.quiescence(); });
      mine = 1;
    }
    session.finish();
    sum += mine;
  });
  EXPECT_THAT(errors, ::testing::Each(""));
  EXPECT_EQ(sum, 1);
}

void explode() { throw std::runtime_error("the fuse was short"); }

TEST(SessionsOnThreads, R2_an_error_comes_out_of_finish_on_every_rank) {
  const auto errors = on_threads(4, [](Session& session) {
    session.start([](Runtime& rt) -> Task<> {
      if (rt.rank() == 2) rt.send<&explode>(1);
      co_await rt.barrier();
      co_await rt.quiescence();
    });
    session.finish();
  });
  EXPECT_THAT(errors[1],
              ::testing::AllOf(HasSubstr("rank 1, handler"), HasSubstr("the fuse was short")));
  // The news that a rank has left may be faster than the reason.
  EXPECT_THAT(errors, ::testing::Each(HasSubstr("rank ")));
}

TEST(SessionsOnThreads, R2_leaving_without_finish_ends_the_job_everywhere) {
  const auto errors = on_threads(3, [](Session& session) {
    session.start([](Runtime& rt) -> Task<> { co_await rt.barrier(); });
    if (session.runtime().rank() == 0) return;
    session.finish();
  });
  EXPECT_EQ(errors[0], "");
  for (const std::size_t r : {1U, 2U}) EXPECT_THAT(errors[r], HasSubstr("rank 0")) << r;
}

/// Occupies this rank's only thread after it has learnt that the job is over.
void fail_and_stay() {
  here().abort("the pump is dry");
  for (;;) here().compute(std::chrono::milliseconds(10));
}

TEST(SessionEnd, R2_a_handler_that_stays_after_an_error_does_not_keep_the_job_alive) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto polled = [] {
    transport::InProcessNetwork network(1);
    Session session(network);
    session.runtime().send<&fail_and_stay>(0);
    for (;;) (void)session.poll();
  };
  EXPECT_EXIT(polled(), ::testing::ExitedWithCode(1), "the pump is dry");
  const auto finished = [] {
    transport::InProcessNetwork network(1);
    Session session(network);
    session.runtime().send<&fail_and_stay>(0);
    session.finish();
  };
  EXPECT_EXIT(finished(), ::testing::ExitedWithCode(1), "the pump is dry");
}

TEST(SessionEnd, R2_the_programs_own_code_may_take_its_time_after_an_error) {
  const auto errors = on_threads(1, [](Session& session) {
    session.start([](Runtime&) -> Task<> {
      explode();
      co_return;
    });
    while (!session.is_over()) (void)session.poll();
    std::this_thread::sleep_for(std::chrono::milliseconds(1200));
    session.finish();
  });
  EXPECT_THAT(errors[0], HasSubstr("the fuse was short"));
}

TEST(SessionOptions, R3_a_balancer_that_does_not_exist_and_a_simulation_are_refused) {
  transport::InProcessNetwork network(2);
  Options options;
  options.balancer.name = "no_such_policy";
  EXPECT_THROW(Session(network, 0, options), ConfigError);
  options = {};
  options.simulate = Machine{};
  EXPECT_THROW(Session(network, 1, options), ConfigError);
}

TEST(SessionRecords, R2_a_job_that_is_aborted_leaves_its_trace_and_loads) {
  const auto folder =
      std::filesystem::path(::testing::TempDir()) / ("session_records" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  transport::InProcessNetwork network(1);
  Options options;
  options.trace = folder / "trace.json";
  options.lb_data = folder / "loads";
  Session session(network, options);
  session.start([](Runtime& rt) -> Task<> {
    for (;;) co_await rt.phase();
  });
  while (!session.is_over() && session.runtime().phases().records().empty())
    static_cast<void>(session.poll());
  session.runtime().abort("told so");
  EXPECT_THROW(session.finish(), Error);
  std::ifstream trace(folder / "trace.json");
  const std::string text(std::istreambuf_iterator<char>(trace), {});
  EXPECT_THAT(text, HasSubstr("\"ended_by\":\"told so\""));
  EXPECT_TRUE(std::filesystem::exists(folder / "loads" / "data.0.json"));
  std::filesystem::remove_all(folder);
}

}  // namespace roam::session_test
