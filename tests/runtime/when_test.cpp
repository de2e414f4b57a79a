// SPDX-License-Identifier: Apache-2.0
// when_all and when_any over replies.
#include <gmock/gmock.h>

#include <array>
#include <string>
#include <vector>

#include "roam/core/error.hpp"
#include "roam/roam.hpp"
#include "roam/runtime/simulated_job.hpp"
#include "support/simulated.hpp"

namespace roam::when_test {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Answers after `milliseconds` of its rank's time.
int after(int milliseconds) {
  here().compute(std::chrono::milliseconds(milliseconds));
  return milliseconds;
}
std::string greeting() { return "good morning"; }
void nothing() {}
int fail(std::string why) { throw Error(why); }

/// Rank 0 runs it, the other three answer.
std::string run_on_rank_0(const std::function<Task<>(Runtime&)>& program, std::uint64_t seed = 1) {
  SimulatedJob job(testing::simulated(4, seed));
  (void)job.run([&](Runtime& rt) -> Task<> {
    if (rt.rank() == 0) co_await program(rt);
    co_await rt.quiescence();
  });
  return job.error();
}

TEST(WhenAll, gives_the_values_in_the_order_of_the_replies_whenever_they_come) {
  EXPECT_EQ(run_on_rank_0([](Runtime& rt) -> Task<> {
              std::vector<am::Reply<int>> replies;
              for (int r = 1; r < 4; ++r) replies.push_back(rt.request<&after>(r, 10 * (4 - r)));
              const std::vector<int> values = co_await when_all(std::move(replies));
              EXPECT_THAT(values, ElementsAre(30, 20, 10));
              EXPECT_LT(rt.now(), std::chrono::milliseconds(35)) << "at the same time";
              const auto none = co_await when_all(std::vector<am::Reply<int>>{});
              EXPECT_TRUE(none.empty());
            }),
            "");
}

TEST(WhenAll, takes_replies_of_different_types_and_of_none) {
  EXPECT_EQ(run_on_rank_0([](Runtime& rt) -> Task<> {
              auto number = rt.request<&after>(1, 5);
              auto text = rt.request<&greeting>(2);
              auto void_reply = rt.request<&nothing>(3);
              const auto values =
                  co_await when_all(std::move(number), std::move(text), std::move(void_reply));
              EXPECT_EQ(std::get<0>(values), 5);
              EXPECT_EQ(std::get<1>(values), "good morning");
              std::vector<am::Reply<void>> replies;
              for (int r = 1; r < 4; ++r) replies.push_back(rt.request<&nothing>(r));
              co_await when_all(std::move(replies));
            }),
            "");
}

TEST(WhenAll, throws_the_first_failure_once_all_have_come_and_nobody_is_told_of_the_others) {
  EXPECT_EQ(run_on_rank_0([](Runtime& rt) -> Task<> {
              std::vector<am::Reply<int>> replies;
              const std::string first = "the first";
              const std::string second = "the second";
              replies.push_back(rt.request<&after>(1, 50));
              replies.push_back(rt.request<&fail>(2, first));
              replies.push_back(rt.request<&fail>(3, second));
              std::string caught;
              try {
                (void)co_await when_all(std::move(replies));
              } catch (const RemoteError& error) {
                caught = error.what();
              }
              EXPECT_THAT(caught, HasSubstr("the first"));
              EXPECT_GE(rt.now(), std::chrono::milliseconds(50));
            }),
            "");
}

TEST(WhenAny, gives_the_first_to_come_and_cancels_the_others) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    EXPECT_EQ(run_on_rank_0(
                  [](Runtime& rt) -> Task<> {
                    std::vector<am::Reply<int>> replies;
                    for (int r = 1; r < 4; ++r)
                      replies.push_back(rt.request<&after>(r, 10 * (4 - r)));
                    const FirstReply<int> first = co_await when_any(std::move(replies));
                    EXPECT_EQ(first.index, 2U);
                    EXPECT_EQ(first.value, 10);
                    EXPECT_LT(rt.now(), std::chrono::milliseconds(15));
                  },
                  seed),
              "");
  }
}

TEST(WhenAny, one_that_has_come_already_counts_and_so_does_a_failure) {
  EXPECT_EQ(run_on_rank_0([](Runtime& rt) -> Task<> {
              std::vector<am::Reply<int>> replies;
              replies.push_back(rt.request<&after>(1, 1));
              const int own = co_await rt.request<&after>(2, 20);
              EXPECT_EQ(own, 20);
              EXPECT_TRUE(replies.front().is_ready());
              const FirstReply<int> first = co_await when_any(std::move(replies));
              EXPECT_EQ(first.value, 1);

              const std::string why = "too early";
              std::vector<am::Reply<int>> more;
              more.push_back(rt.request<&after>(1, 20));
              more.push_back(rt.request<&fail>(2, why));
              std::string caught;
              try {
                (void)co_await when_any(std::move(more));
              } catch (const RemoteError& error) {
                caught = error.what();
              }
              EXPECT_THAT(caught, HasSubstr("too early"));
            }),
            "");
  EXPECT_THAT(run_on_rank_0([](Runtime&) -> Task<> {
                (void)co_await when_any(std::vector<am::Reply<int>>{});
              }),
              HasSubstr("no reply to wait for"));
}

TEST(WhenAny, many_at_a_time_in_threads) {
  Options options;
  options.ranks = 2;
  options.ranks_given = true;
  options.workers = 2;
  EXPECT_EQ(run(options,
                [](Runtime& rt) -> Task<> {
                  for (int i = 0; i < 200; ++i) {
                    std::vector<am::Reply<std::string>> replies;
                    for (int k = 0; k < 8; ++k)
                      replies.push_back(rt.request<&greeting>((rt.rank().value() + k) % 2));
                    const auto first = co_await when_any(std::move(replies));
                    if (first.value != "good morning")
                      throw Error("what came is not what was sent");
                  }
                }),
            0);
}

TEST(WhenAny, a_job_that_is_stopped_meanwhile_leaves_nothing_behind) {
  EXPECT_THAT(run_on_rank_0([](Runtime& rt) -> Task<> {
                std::vector<am::Reply<int>> replies;
                for (int r = 1; r < 4; ++r) replies.push_back(rt.request<&after>(r, 1000));
                rt.abort("enough");
                (void)co_await when_any(std::move(replies));
              }),
              HasSubstr("enough"));
}

}  // namespace

}  // namespace roam::when_test
