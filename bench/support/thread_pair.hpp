// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <thread>
#include <vector>

#include "report.hpp"

namespace bench {

/// The least two threads of a process need to hand data over: one copies it into memory both see
/// and raises a flag, the other spins on the flag and copies it out.
class ThreadPair {
 public:
  /// Seconds one way.
  static double one_way(std::size_t bytes, int count, int rounds) {
    ThreadPair pair(bytes);
    const int all = rounds * (count + 2);
    std::thread other([&] {
      pin(1);
      for (int i = 0; i < all; ++i) {
        pair.receive(2 * i + 1);
        pair.send(2 * i + 2);
      }
    });
    Blocks blocks;
    std::thread self([&] {
      pin(0);
      for (int i = 0; i < all; ++i) {
        if (i == 2 * rounds) blocks.begin(count, rounds);
        pair.send(2 * i + 1);
        pair.receive(2 * i + 2);
        if (i >= 2 * rounds) static_cast<void>(blocks.next());
      }
    });
    self.join();
    other.join();
    return blocks.seconds_per_round() / 2;
  }

 private:
  explicit ThreadPair(std::size_t bytes) : shared_(bytes), here_(bytes), there_(bytes) {}
  void send(int turn) {
    std::memcpy(shared_.data(), (turn % 2 != 0 ? here_ : there_).data(), shared_.size());
    turn_.store(turn, std::memory_order_release);
  }
  void receive(int turn) {
    for (int spins = 0; turn_.load(std::memory_order_acquire) != turn; ++spins) {
      if (spins > 100000) std::this_thread::yield();
    }
    std::memcpy((turn % 2 != 0 ? there_ : here_).data(), shared_.data(), shared_.size());
  }
  static void pin(int nth) {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
    int wanted = nth % CPU_COUNT(&allowed);
    for (int i = 0; i < CPU_SETSIZE; ++i) {
      if (!CPU_ISSET(i, &allowed) || wanted-- > 0) continue;
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(i, &one);
      pthread_setaffinity_np(pthread_self(), sizeof one, &one);
      return;
    }
  }

  std::vector<char> shared_, here_, there_;
  alignas(64) std::atomic<int> turn_{0};
};

}  // namespace bench
