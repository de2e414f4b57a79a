// SPDX-License-Identifier: Apache-2.0
// M3, R2: among the calls that wait for an object in transit and follow it, one may fail to be
// packed. That one fails, and the others arrive.
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/simulated.hpp"

namespace unpackable_follower_test {

namespace {

enum class Thrown { error, number };

/// Can be copied, and packed if it is good.
struct Sealed {
  int number = 0;
  bool is_good = true;
  Thrown thrown = Thrown::error;
  template <class Archive>
  void save(Archive& archive) const {
    archive(number, is_good);
    if (is_good) return;
    if (thrown == Thrown::number) throw 7;
    throw std::runtime_error("sealed");
  }
  template <class Archive>
  void load(Archive& archive) {
    archive(number, is_good);
  }
};

struct Logbook {
  std::vector<int> numbers;
  void add(const Sealed& value) { numbers.push_back(value.number); }
  int ask(const Sealed& value) { return numbers.emplace_back(value.number); }
  [[nodiscard]] std::vector<int> all() const { return numbers; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(numbers);
  }
};

class UnpackableFollower : public ::testing::TestWithParam<Thrown> {};
INSTANTIATE_TEST_SUITE_P(Thrown, UnpackableFollower,
                         ::testing::Values(Thrown::error, Thrown::number), [](const auto& thrown) {
                           return thrown.param == Thrown::error ? "error" : "number";
                         });

struct Outcome {
  int answered = 0;
  int refused = 0;
  int reports = 0;
};

roam::Task<> call_behind(roam::Runtime& rt, Thrown thrown, Outcome& outcome) {
  rt.on_error([&outcome](const std::string& report) {
    EXPECT_NE(report.find("cannot be packed"), std::string::npos) << report;
    ++outcome.reports;
  });
  const auto book = rt.create<Logbook>();
  std::vector<int> expected;
  co_await rt.run_epoch([&] {
    book.migrate(1);  // in transit at once: nothing runs on it
    for (int i = 0; i < 6; ++i) {
      book.send<&Logbook::add>(Sealed{i, i % 2 == 0, thrown});
      if (i % 2 == 0) expected.push_back(i);
    }
  });
  book.migrate(0);
  co_await rt.quiescence();
  book.migrate(1);
  auto reply = book.call<&Logbook::ask>(Sealed{9, false, thrown});
  try {
    static_cast<void>(co_await reply);
    ++outcome.answered;
  } catch (const roam::RemoteError& error) {
    EXPECT_NE(std::string(error.what()).find("cannot be packed"), std::string::npos);
    ++outcome.refused;
  }
  EXPECT_EQ(co_await book.call<&Logbook::all>(), expected);
}

TEST_P(UnpackableFollower, M3_fails_and_the_others_arrive) {
  Outcome outcome;
  roam::SimulatedJob job(roam::testing::simulated(2));
  const bool ended = job.run([&](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() == 0) {
      co_await call_behind(rt, GetParam(), outcome);
    } else {
      co_await rt.quiescence();
    }
    co_await rt.quiescence();
    EXPECT_EQ(rt.messenger().stats().messages_rejected, 0U);
  });
  EXPECT_TRUE(ended) << job.error();
  EXPECT_EQ(outcome.reports, 3);
  EXPECT_EQ(outcome.answered, 0);
  EXPECT_EQ(outcome.refused, 1);
}

}  // namespace

}  // namespace unpackable_follower_test
