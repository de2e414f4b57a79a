// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <coroutine>
#include <roam/roam.hpp>
#include <utility>

#include "report.hpp"

namespace bench {

/// Ends when a handler of the same rank calls finish(): what a main program awaits while handlers
/// play among themselves. `begin` starts them.
template <class Begin>
class Play final : public roam::exec::Suspension {
 public:
  explicit Play(Begin begin) : begin_(std::move(begin)) {}
  [[nodiscard]] bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> handle) {
    capture(handle);
    begin_();
  }
  void await_resume() const {}

 private:
  Begin begin_;
};

/// What one rank's handlers count.
struct Player {
  Blocks blocks;
  roam::exec::Suspension* waiter = nullptr;
  int warm_up = 0;
  /// After a round: false when the game is over; the main program then goes on.
  bool next() {
    if (warm_up > 0) {
      if (--warm_up == 0) blocks.begin(count, rounds);
      return true;
    }
    if (blocks.next()) return true;
    waiter->resume();
    return false;
  }
  int count = 0;
  int rounds = 0;
};

// By rank: handlers of a benchmark are functions, and this is all they share. Each is touched by
// the one worker of its rank alone.
inline std::array<Player, 2> players;

inline Player& player() { return players[roam::here().rank().index()]; }

/// Awaitable: plays `count` blocks of `rounds` rounds that `begin` starts and whose handlers call
/// player().next() on this rank. Two blocks' worth of rounds go before, untimed.
template <class Begin>
roam::Task<double> play(int count, int rounds, Begin begin) {
  Player& own = player();
  own.count = count;
  own.rounds = rounds;
  own.warm_up = 2 * rounds;
  Play game([&] { begin(); });
  own.waiter = &game;
  co_await game;
  co_return own.blocks.seconds_per_round();
}

}  // namespace bench
