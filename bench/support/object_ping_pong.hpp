// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <roam/roam.hpp>

#include "message_ping_pong.hpp"

namespace bench {

/// Two of them on two ranks call each other.
struct CallingObject {
  roam::mobile_ptr<CallingObject> other;
  bool counts = false;
  void meet(roam::mobile_ptr<CallingObject> opponent, bool count) {
    other = opponent, counts = count;
  }
  void answer(std::uint64_t value) {
    if (!counts || player().next()) other.send<&CallingObject::answer>(value);
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(other, counts);
  }
};

inline roam::mobile_ptr<CallingObject> make_calling_object() {
  return roam::here().create<CallingObject>();
}

/// Seconds one way of a call with an 8-byte argument between objects of ranks 0 and 1. To be
/// awaited on rank 0.
inline roam::Task<double> call_one_way(int blocks, int rounds) {
  const auto here = make_calling_object();
  const auto there = co_await roam::here().request<&make_calling_object>(1);
  co_await here.call<&CallingObject::meet>(there, true);
  co_await there.call<&CallingObject::meet>(here, false);
  const auto begin = [&] { there.send<&CallingObject::answer>(std::uint64_t{42}); };
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
