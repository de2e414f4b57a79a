// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <roam/roam.hpp>

#include "message_ping_pong.hpp"

namespace bench {

/// Two of them on two ranks call each other.
struct Paddle {
  roam::mobile_ptr<Paddle> other;
  bool counts = false;
  void meet(roam::mobile_ptr<Paddle> opponent, bool count) { other = opponent, counts = count; }
  void hit(std::uint64_t ball) {
    if (!counts || player().next()) other.send<&Paddle::hit>(ball);
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(other, counts);
  }
};

inline roam::mobile_ptr<Paddle> make_paddle() { return roam::here().create<Paddle>(); }

/// Seconds one way of a call with an 8-byte argument between objects of ranks 0 and 1. To be
/// awaited on rank 0.
inline roam::Task<double> call_one_way(int blocks, int rounds) {
  const auto here = make_paddle();
  const auto there = co_await roam::here().request<&make_paddle>(1);
  co_await here.call<&Paddle::meet>(there, true);
  co_await there.call<&Paddle::meet>(here, false);
  const auto begin = [&] { there.send<&Paddle::hit>(std::uint64_t{42}); };
  co_return co_await play(blocks, rounds, begin) / 2;
}

struct MessageAndCall {
  double message = 0;
  double call = 0;
};

/// Both, of 8 bytes, in turn. To be awaited on rank 0.
inline roam::Task<MessageAndCall> message_and_call_one_way(int blocks, int rounds) {
  MessageAndCall seconds;
  seconds.message = co_await message_one_way(8, blocks, rounds);
  seconds.call = co_await call_one_way(blocks, rounds);
  co_return seconds;
}

}  // namespace bench
