// SPDX-License-Identifier: Apache-2.0
// M3: a call that cannot be issued, because copying or packing its arguments throws, leaves no gap
// in the order: later calls of the same rank to the object run.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "roam/roam.hpp"

namespace {

/// Can be copied and packed only if it is good.
struct Fragile {
  int number = 0;
  bool is_good = true;
  Fragile() = default;
  Fragile(int n, bool good) : number(n), is_good(good) {}
  Fragile(const Fragile& other) : number(other.number), is_good(other.is_good) {
    if (!is_good) throw std::runtime_error("copying failed");
  }
  Fragile& operator=(const Fragile&) = default;
  ~Fragile() = default;
  template <class Archive>
  void save(Archive& archive) const {
    archive(number);
    if (!is_good) throw std::runtime_error("packing failed");
    archive(is_good);
  }
  template <class Archive>
  void load(Archive& archive) {
    archive(number, is_good);
  }
};

struct Diary {
  std::vector<int> numbers;
  void add(const Fragile& value) { numbers.push_back(value.number); }
  void add_with_text(const std::string&, const Fragile& value) { add(value); }
  std::vector<int> all() const { return numbers; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(numbers);
  }
};

roam::mobile_ptr<Diary> make_diary() { return roam::here().create<Diary>(); }

/// What the attempt threw; empty: nothing.
template <class Issue>
std::string failure_of(Issue&& issue) {
  try {
    issue();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

struct Kind {
  const char* name;
  std::uint32_t workers;
  bool simulated;
};
void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

int run_job(const Kind& kind, const roam::Runtime::Program& program,
            std::uint64_t directory_limit = 1 << 20) {
  roam::Options options;
  options.directory_limit = directory_limit;
  if (kind.simulated) {
    options.simulate = roam::Machine{};
    options.simulate->ranks = 2;
    options.simulate->workers_per_rank = kind.workers;
  } else {
    options.transport = "in-process";
    options.ranks = 2;
    options.ranks_given = true;
    options.workers = kind.workers;
  }
  return roam::run(options, program);
}

class FailedIssue : public ::testing::TestWithParam<Kind> {};
INSTANTIATE_TEST_SUITE_P(Jobs, FailedIssue,
                         ::testing::Values(Kind{"in_process_1", 1, false},
                                           Kind{"in_process_2", 2, false},
                                           Kind{"simulated", 2, true}),
                         [](const auto& tested) { return tested.param.name; });

roam::Task<> good_bad_good(roam::mobile_ptr<Diary> diary, std::string expected) {
  const Fragile one(1, true);
  const Fragile bad(2, false);
  const Fragile three(3, true);
  diary.send<&Diary::add>(one);
  EXPECT_EQ(failure_of([&] { diary.send<&Diary::add>(bad); }), expected);
  EXPECT_EQ(failure_of([&] { diary.send<&Diary::add_with_text>(std::string("text"), bad); }),
            expected);
  EXPECT_EQ(failure_of([&] { static_cast<void>(diary.call<&Diary::add>(bad)); }), expected);
  diary.send<&Diary::add>(three);
  std::vector<int> numbers(1, 1);
  numbers.push_back(3);
  EXPECT_EQ(co_await diary.call<&Diary::all>(), numbers);
}

TEST_P(FailedIssue, M3_calls_after_one_whose_copy_throws_run) {
  EXPECT_EQ(run_job(GetParam(),
                    [](roam::Runtime& rt) -> roam::Task<> {
                      if (rt.rank() == 0)
                        co_await good_bad_good(rt.create<Diary>(), "copying failed");
                      co_await rt.quiescence();
                    }),
            0);
}

TEST_P(FailedIssue, M3_calls_after_one_whose_packing_throws_run) {
  EXPECT_EQ(run_job(GetParam(),
                    [](roam::Runtime& rt) -> roam::Task<> {
                      if (rt.rank() == 0) {
                        const auto diary = co_await rt.request<&make_diary>(1);
                        co_await good_bad_good(diary, "packing failed");
                      }
                      co_await rt.quiescence();
                    }),
            0);
}

TEST_P(FailedIssue, M5_and_the_object_may_move_meanwhile) {
  EXPECT_EQ(run_job(GetParam(),
                    [](roam::Runtime& rt) -> roam::Task<> {
                      if (rt.rank() == 0) {
                        const auto diary = co_await rt.request<&make_diary>(1);
                        std::vector<int> expected;
                        for (int i = 0; i < 40; ++i) {
                          if (i % 4 == 0) diary.migrate(i / 4 % 2);
                          const Fragile value(i, i % 3 != 0);
                          static_cast<void>(failure_of([&] { diary.send<&Diary::add>(value); }));
                          if (value.is_good) expected.push_back(i);
                        }
                        EXPECT_EQ(co_await diary.call<&Diary::all>(), expected);
                      }
                      co_await rt.quiescence();
                    }),
            0);
}

TEST_P(FailedIssue, M10_an_epoch_ends_though_a_call_of_it_could_not_be_issued) {
  EXPECT_EQ(
      run_job(GetParam(),
              [](roam::Runtime& rt) -> roam::Task<> {
                if (rt.rank() == 0) {
                  const auto here = rt.create<Diary>();
                  const auto there = co_await rt.request<&make_diary>(1);
                  const Fragile bad(1, false);
                  const Fragile good(2, true);
                  co_await rt.run_epoch([&] {
                    EXPECT_EQ(failure_of([&] { here.send<&Diary::add>(bad); }), "copying failed");
                    EXPECT_EQ(failure_of([&] { there.send<&Diary::add>(bad); }), "packing failed");
                    here.send<&Diary::add>(good);
                    there.send<&Diary::add>(good);
                  });
                  const std::vector<int> expected(1, 2);
                  EXPECT_EQ(co_await here.call<&Diary::all>(), expected);
                  EXPECT_EQ(co_await there.call<&Diary::all>(), expected);
                }
                co_await rt.quiescence();
              }),
      0);
}

// Calls to an object that is being forgotten are kept here, as values, until it is.
TEST_P(FailedIssue, M3_calls_after_one_that_was_to_wait_for_forgetting_run) {
  static int copies_failed = 0;
  copies_failed = 0;
  EXPECT_EQ(run_job(
                GetParam(),
                [](roam::Runtime& rt) -> roam::Task<> {
                  if (rt.rank() == 0) {
                    std::vector<roam::mobile_ptr<Diary>> diaries;
                    for (int i = 0; i < 12; ++i)
                      diaries.push_back(co_await rt.request<&make_diary>(1));
                    std::vector<std::vector<int>> expected(diaries.size());
                    for (int round = 0; round < 200; ++round) {
                      for (std::size_t i = 0; i < diaries.size(); ++i) {
                        const Fragile bad(-1, false);
                        const Fragile good(round, true);
                        const std::string failure =
                            failure_of([&] { diaries[i].send<&Diary::add>(bad); });
                        EXPECT_NE(failure, "");
                        if (failure == "copying failed") ++copies_failed;
                        diaries[i].send<&Diary::add>(good);
                        expected[i].push_back(round);
                        // Those that go on meanwhile are the one or two after it.
                        if (round % 2 == 0) rt.compute(std::chrono::microseconds(3));
                        if (i % 4 == 0) static_cast<void>(co_await rt.request<&make_diary>(1));
                      }
                    }
                    for (std::size_t i = 0; i < diaries.size(); ++i)
                      EXPECT_EQ(co_await diaries[i].call<&Diary::all>(), expected[i]);
                  }
                  co_await rt.quiescence();
                },
                4),
            0);
  if (GetParam().simulated) {
    EXPECT_GT(copies_failed, 0) << "none was to wait";
  }
}

void write_while_held(roam::Gathered<Diary> diaries) {
  const Fragile bad(1, false);
  const Fragile good(2, true);
  for (std::size_t i = 0; i < diaries.size(); ++i) {
    EXPECT_EQ(failure_of([&] { diaries.name(i).send<&Diary::add>(bad); }), "copying failed");
    diaries.name(i).send<&Diary::add>(good);
  }
}

TEST_P(FailedIssue, M9_calls_to_objects_that_are_held_run) {
  EXPECT_EQ(run_job(GetParam(),
                    [](roam::Runtime& rt) -> roam::Task<> {
                      if (rt.rank() == 0) {
                        std::vector<roam::mobile_ptr<Diary>> diaries;
                        diaries.push_back(rt.create<Diary>());
                        diaries.push_back(co_await rt.request<&make_diary>(1));
                        auto reply = rt.multicast_call<&write_while_held>(diaries);
                        co_await reply;
                        const std::vector<int> expected(1, 2);
                        for (const auto& diary : diaries)
                          EXPECT_EQ(co_await diary.call<&Diary::all>(), expected);
                      }
                      co_await rt.quiescence();
                    }),
            0);
}

TEST_P(FailedIssue, M8_to_an_object_that_has_ended_it_is_no_dead_letter) {
  EXPECT_EQ(run_job(GetParam(),
                    [](roam::Runtime& rt) -> roam::Task<> {
                      if (rt.rank() == 0) {
                        const auto diary = co_await rt.request<&make_diary>(1);
                        diary.destroy();
                        co_await rt.quiescence();
                        const Fragile bad(1, false);
                        EXPECT_EQ(failure_of([&] { diary.send<&Diary::add>(bad); }),
                                  "packing failed");
                      } else {
                        co_await rt.quiescence();
                      }
                      co_await rt.quiescence();
                    }),
            0);
}

}  // namespace
