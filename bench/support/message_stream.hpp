// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "game.hpp"

namespace bench {

/// How a program sends one way: `messages` in all, giving its worker back after each `burst` (0:
/// never, one plain loop), as a handler does that ends after so many sends.
struct Stream {
  std::size_t bytes = 8;
  int messages = 0;
  int burst = 0;
};

/// What the receiving rank counts; touched by its one worker alone.
struct Listener {
  int heard = 0;
  int expected = 0;
};
inline std::array<Listener, 2> listeners;

/// On rank 0.
inline void all_heard() { player().waiter->resume(); }

/// On rank 1.
inline void expect(int messages) { listeners[roam::here().rank().index()] = {0, messages}; }

/// On rank 1.
template <class Payload>
void hear(const Payload&) {
  Listener& own = listeners[roam::here().rank().index()];
  if (++own.heard == own.expected) roam::here().send<&all_heard>(0);
}

/// To be awaited: the rank's other work goes first, network included.
inline auto give_way() {
  class Turn final : public roam::exec::Suspension {
   public:
    [[nodiscard]] bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> handle) {
      capture(handle);
      resume();
    }
    void await_resume() const {}
  };
  return Turn();
}

/// Sends the stream once; ends when rank 1 has run the last handler and said so.
template <class Payload>
roam::Task<> stream_once(const Stream& stream, const Payload& payload) {
  roam::Runtime& rt = roam::here();
  rt.send<&expect>(1, stream.messages);
  for (int i = 1; i < stream.messages; ++i) {
    rt.send<&hear<Payload>>(1, payload);
    if (stream.burst > 0 && i % stream.burst == 0) co_await give_way();
  }
  Play last([&] { rt.send<&hear<Payload>>(1, payload); });
  player().waiter = &last;
  co_await last;
}

/// Seconds per message of the median of `count` streams, two for warm-up apart. On rank 0.
template <class Payload>
roam::Task<double> timed_stream(const Stream& stream, const Payload& payload, int count) {
  co_await stream_once(stream, payload);
  co_await stream_once(stream, payload);
  Blocks blocks;
  blocks.begin(count, 1);
  do co_await stream_once(stream, payload);
  while (blocks.next());
  co_return blocks.seconds_per_round() / stream.messages;
}

/// The same: 8 B is a number, more a vector, whose length travels with it.
inline roam::Task<double> message_stream(const Stream& stream, int count) {
  if (stream.bytes == sizeof(std::uint64_t)) {
    const std::uint64_t number = 42;
    co_return co_await timed_stream(stream, number, count);
  }
  const std::vector<std::byte> values(stream.bytes);
  co_return co_await timed_stream(stream, values, count);
}

}  // namespace bench
