// SPDX-License-Identifier: Apache-2.0
// A method that still waits when the job ends is destroyed while what its arguments refer to still
// exists.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "support/simulated.hpp"

namespace abandoned_call_test {

namespace {

constexpr int mark = 0x1234567;
int good_at_end = 0;  // how many elements were unchanged

struct Looks {
  std::span<const int> values;
  explicit Looks(std::span<const int> viewed) : values(viewed) {}
  Looks(const Looks&) = delete;
  Looks& operator=(const Looks&) = delete;
  ~Looks() { good_at_end = static_cast<int>(std::ranges::count(values, mark)); }
};

struct SlowReader {
  roam::mobile_ptr<SlowReader> other;
  roam::Task<> wait(std::span<const int> values) {
    const Looks looks(values);
    co_await other.call<&SlowReader::stay>();
  }
  void stay() {}
  void become(roam::mobile_ptr<SlowReader> its_other) { other = its_other; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(other);
  }
};

roam::mobile_ptr<SlowReader> make_waiter() {
  const auto waiter = roam::here().create<SlowReader>();
  waiter.send<&SlowReader::become>(waiter);  // it waits for itself
  return waiter;
}

/// `at` is the rank on which it waits; the other rank calls it.
void abandon_at(roam::Rank at) {
  mallopt(M_PERTURB, 0x5a);  // freed memory is written over
  good_at_end = 0;
  const int count = 2000;
  {
    roam::SimulatedJob job(roam::testing::simulated(2));
    EXPECT_FALSE(job.run([&](roam::Runtime& rt) -> roam::Task<> {
      if (rt.rank() != at) {
        const auto waiter = co_await rt.request<&make_waiter>(at);
        waiter.send<&SlowReader::wait>(std::vector<int>(static_cast<std::size_t>(count), mark));
      }
      co_await rt.quiescence();
    }));
    EXPECT_NE(job.error().find("no progress is possible"), std::string::npos) << job.error();
  }
  mallopt(M_PERTURB, 0);
  EXPECT_EQ(good_at_end, count);
}

TEST(AbandonedCall, M2_sees_its_arguments_to_the_end) {
  abandon_at(0);
  abandon_at(1);
}

}  // namespace

}  // namespace abandoned_call_test
