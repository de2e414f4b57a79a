// SPDX-License-Identifier: Apache-2.0
#include "roam/exec/detail/parking.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace roam::exec::parking_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using SteadyTime = std::chrono::steady_clock;

TEST(Parking, a_wake_after_prepare_is_not_missed) {
  Parking parking;
  const Parking::Ticket ticket = parking.prepare();
  parking.wake();
  const auto start = SteadyTime::now();
  parking.wait(ticket, seconds(30));
  EXPECT_LT(SteadyTime::now() - start, seconds(10));
}

TEST(Parking, a_wake_before_prepare_is_no_reason_to_stay_awake) {
  Parking parking;
  parking.wake();
  const Parking::Ticket ticket = parking.prepare();
  const auto start = SteadyTime::now();
  parking.wait(ticket, milliseconds(20));
  EXPECT_GE(SteadyTime::now() - start, milliseconds(20));
}

TEST(Parking, wake_all_rouses_everybody) {
  Parking parking;
  std::atomic<int> awake{0};
  std::atomic<int> prepared{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const Parking::Ticket ticket = parking.prepare();
      ++prepared;
      parking.wait(ticket, seconds(60));
      ++awake;
    });
  }
  while (prepared < 4) std::this_thread::yield();
  const auto start = SteadyTime::now();
  parking.wake_all();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(awake.load(), 4);
  EXPECT_LT(SteadyTime::now() - start, seconds(30));
}

// Producers hand out one item at a time and then wake a sleeper; sleepers sleep for very long. A
// missed wake-up shows because the test then takes a minute.
TEST(Parking, no_wake_up_is_missed_among_threads) {
  Parking parking;
  constexpr int pieces = 5000;
  std::atomic<int> available{0};
  std::atomic<int> taken{0};
  const auto take = [&] {
    int n = available.load();
    while (n > 0) {
      if (available.compare_exchange_weak(n, n - 1)) {
        ++taken;
        return true;
      }
    }
    return false;
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      while (taken < pieces) {
        if (take()) continue;
        const Parking::Ticket ticket = parking.prepare();
        if (take() || taken >= pieces) {
          parking.cancel();
          continue;
        }
        parking.wait(ticket, seconds(60));
      }
      parking.wake_all();
    });
  }
  const auto start = SteadyTime::now();
  for (int i = 0; i < pieces; ++i) {
    ++available;
    parking.wake();
    if (i % 50 == 0) {
      while (taken <= i) std::this_thread::yield();  // let all of them fall asleep now and then
    }
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(taken.load(), pieces);
  EXPECT_LT(SteadyTime::now() - start, seconds(45));
}

}  // namespace
}  // namespace roam::exec::parking_test
