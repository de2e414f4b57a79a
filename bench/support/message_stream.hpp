// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "game.hpp"
#include "message_ping_pong.hpp"

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

/// Sends the stream once, of what `make()` returns; ends when rank 1 has run the last handler and
/// said so.
template <class Make>
roam::Task<> stream_once(const Stream& stream, const Make& make) {
  using Payload = std::remove_cvref_t<decltype(make())>;
  roam::Runtime& rt = roam::here();
  rt.send<&expect>(1, stream.messages);
  for (int i = 1; i < stream.messages; ++i) {
    rt.send<&hear<Payload>>(1, make());
    if (stream.burst > 0 && i % stream.burst == 0) co_await give_way();
  }
  Play last([&] { rt.send<&hear<Payload>>(1, make()); });
  player().waiter = &last;
  co_await last;
}

/// Seconds per message of the median of `count` streams, two for warm-up apart. On rank 0.
template <class Make>
roam::Task<double> timed_stream(const Stream& stream, Make make, int count) {
  co_await stream_once(stream, make);
  co_await stream_once(stream, make);
  Blocks blocks;
  blocks.begin(count, 1);
  do co_await stream_once(stream, make);
  while (blocks.next());
  co_return blocks.seconds_per_round() / stream.messages;
}

/// The same: 8 B is a number, more a vector, whose length travels with it, much more an array that
/// is made for each message in memory that is reused, and given up.
inline roam::Task<double> message_stream(const Stream& stream, int count) {
  if (stream.bytes == sizeof(std::uint64_t)) {
    const auto number = [] { return std::uint64_t{42}; };
    co_return co_await timed_stream(stream, number, count);
  }
  if (stream.bytes >= handed_on_bytes) {
    const auto array = [&stream] { return roam::here().make_array<std::byte>(stream.bytes); };
    co_return co_await timed_stream(stream, array, count);
  }
  const std::vector<std::byte> values(stream.bytes);
  const auto vector = [&values]() -> const std::vector<std::byte>& { return values; };
  co_return co_await timed_stream(stream, vector, count);
}

}  // namespace bench
