// SPDX-License-Identifier: Apache-2.0
// M3: a call that cannot be issued, because copying or packing its arguments throws, leaves no gap
// in the order: later calls of the same rank to the object run.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "roam/roam.hpp"

namespace failed_issue_test {

namespace {

/// Can be copied and packed only if it is `good`.
struct Fragile {
  int number = 0;
  bool is_good = true;
  Fragile() = default;
  constexpr Fragile(int n, bool good) : number(n), is_good(good) {}
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

constexpr Fragile bad(-1, false);
constexpr Fragile good(2, true);

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

/// The text of the exception that the attempt threw; empty if none.
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
            std::uint64_t directory_limit) {
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

/// Rank 0 takes these steps; the job then comes to its end.
void expect_success(const Kind& kind, roam::Task<> (*steps)(roam::Runtime&),
                    std::uint64_t directory_limit = 1 << 20) {
  const auto program = [steps](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() == 0) co_await steps(rt);
    co_await rt.quiescence();
  };
  EXPECT_EQ(run_job(kind, program, directory_limit), 0);
}

roam::Task<> expect_in(roam::mobile_ptr<Diary> diary, std::vector<int> expected) {
  EXPECT_EQ(co_await diary.call<&Diary::all>(), expected);
}
roam::Task<> expect_only_good_in(roam::mobile_ptr<Diary> diary) {
  return expect_in(diary, {good.number});
}

class FailedIssue : public ::testing::TestWithParam<Kind> {};
INSTANTIATE_TEST_SUITE_P(Jobs, FailedIssue,
                         ::testing::Values(Kind{"in_process_1", 1, false},
                                           Kind{"in_process_2", 2, false},
                                           Kind{"simulated", 2, true}),
                         [](const auto& tested) { return tested.param.name; });

roam::Task<> good_bad_good(roam::mobile_ptr<Diary> diary, std::string expected) {
  diary.send<&Diary::add>(good);
  EXPECT_EQ(failure_of([&] { diary.send<&Diary::add>(bad); }), expected);
  EXPECT_EQ(failure_of([&] { diary.send<&Diary::add_with_text>(std::string("text"), bad); }),
            expected);
  EXPECT_EQ(failure_of([&] { static_cast<void>(diary.call<&Diary::add>(bad)); }), expected);
  diary.send<&Diary::add>(Fragile(3, true));
  std::vector<int> numbers(1, good.number);
  numbers.push_back(3);
  co_await expect_in(diary, std::move(numbers));
}

TEST_P(FailedIssue, M3_calls_after_one_whose_copy_throws_run) {
  expect_success(GetParam(), [](roam::Runtime& rt) -> roam::Task<> {
    co_await good_bad_good(rt.create<Diary>(), "copying failed");
  });
}

TEST_P(FailedIssue, M3_calls_after_one_whose_packing_throws_run) {
  expect_success(GetParam(), [](roam::Runtime& rt) -> roam::Task<> {
    const auto diary = co_await rt.request<&make_diary>(1);
    co_await good_bad_good(diary, "packing failed");
  });
}

TEST_P(FailedIssue, M5_and_the_object_may_move_meanwhile) {
  expect_success(GetParam(), [](roam::Runtime& rt) -> roam::Task<> {
    const auto diary = co_await rt.request<&make_diary>(1);
    std::vector<int> expected;
    for (int i = 0; i < 40; ++i) {
      if (i % 4 == 0) diary.migrate(i / 4 % 2);
      const Fragile value(i, i % 3 != 0);
      static_cast<void>(failure_of([&] { diary.send<&Diary::add>(value); }));
      if (value.is_good) expected.push_back(i);
    }
    co_await expect_in(diary, std::move(expected));
  });
}

TEST_P(FailedIssue, M10_an_epoch_ends_though_a_call_of_it_could_not_be_issued) {
  expect_success(GetParam(), [](roam::Runtime& rt) -> roam::Task<> {
    const auto here = rt.create<Diary>();
    const auto there = co_await rt.request<&make_diary>(1);
    co_await rt.run_epoch([&] {
      EXPECT_EQ(failure_of([&] { here.send<&Diary::add>(bad); }), "copying failed");
      EXPECT_EQ(failure_of([&] { there.send<&Diary::add>(bad); }), "packing failed");
      here.send<&Diary::add>(good);
      there.send<&Diary::add>(good);
    });
    co_await expect_only_good_in(here);
    co_await expect_only_good_in(there);
  });
}

int copies_failed = 0;  // on rank 0 of the job that runs now

roam::Task<> write_to_diaries_that_are_forgotten(roam::Runtime& rt) {
  std::vector<roam::mobile_ptr<Diary>> diaries;
  for (int i = 0; i < 12; ++i) diaries.push_back(co_await rt.request<&make_diary>(1));
  std::vector<int> expected;
  for (int round = 0; round < 200; ++round) {
    for (std::size_t i = 0; i < diaries.size(); ++i) {
      const std::string failure = failure_of([&] { diaries[i].send<&Diary::add>(bad); });
      EXPECT_NE(failure, "");
      if (failure == "copying failed") ++copies_failed;
      diaries[i].send<&Diary::add>(Fragile(round, true));
      // Those that go on meanwhile are the one or two after it.
      if (round % 2 == 0) rt.compute(std::chrono::microseconds(3));
      if (i % 4 == 0) static_cast<void>(co_await rt.request<&make_diary>(1));
    }
    expected.push_back(round);
  }
  for (const auto& diary : diaries) co_await expect_in(diary, expected);
}

// Calls to an object that is being forgotten are stored here, as values, until that is done.
TEST_P(FailedIssue, M3_calls_after_one_that_was_to_wait_for_forgetting_run) {
  copies_failed = 0;
  expect_success(GetParam(), &write_to_diaries_that_are_forgotten, 4);
  if (GetParam().simulated) {
    EXPECT_GT(copies_failed, 0) << "none was to wait";
  }
}

void write_while_held(roam::Gathered<Diary> diaries) {
  for (std::size_t i = 0; i < diaries.size(); ++i) {
    EXPECT_EQ(failure_of([&] { diaries.name(i).send<&Diary::add>(bad); }), "copying failed");
    diaries.name(i).send<&Diary::add>(good);
  }
}

TEST_P(FailedIssue, M9_calls_to_objects_that_are_held_run) {
  expect_success(GetParam(), [](roam::Runtime& rt) -> roam::Task<> {
    std::vector<roam::mobile_ptr<Diary>> diaries;
    diaries.push_back(rt.create<Diary>());
    diaries.push_back(co_await rt.request<&make_diary>(1));
    auto reply = rt.multicast_call<&write_while_held>(diaries);
    co_await reply;
    for (const auto& diary : diaries) co_await expect_only_good_in(diary);
  });
}

TEST_P(FailedIssue, M8_to_an_object_that_has_ended_it_is_no_dead_letter) {
  expect_success(GetParam(), [](roam::Runtime& rt) -> roam::Task<> {
    const auto diary = co_await rt.request<&make_diary>(1);
    co_await rt.run_epoch([&] { diary.destroy(); });
    EXPECT_EQ(failure_of([&] { diary.send<&Diary::add>(bad); }), "packing failed");
  });
}

}  // namespace

}  // namespace failed_issue_test
