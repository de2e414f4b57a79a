// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "game.hpp"

namespace bench {

using Bytes = std::vector<std::byte>;
using ByteArray = roam::Array<std::byte>;

template <class Payload>
void pong(const Payload& payload);

/// On rank 1.
template <class Payload>
void ping(const Payload& payload) {
  roam::here().send<&pong<Payload>>(0, payload);
}
/// On rank 0.
template <class Payload>
void pong(const Payload& payload) {
  if (player().next()) roam::here().send<&ping<Payload>>(1, payload);
}

/// The same with an array that is handed on: what the one has received, the other gets.
inline void pong_array(ByteArray array);
inline void ping_array(ByteArray array) { roam::here().send<&pong_array>(0, std::move(array)); }
inline void pong_array(ByteArray array) {
  if (player().next()) roam::here().send<&ping_array>(1, std::move(array));
}
/// What is long enough for it to matter; as MPI programs use one buffer again and again.
inline constexpr std::size_t handed_on_bytes = 16384;

/// Seconds one way of an active message whose handler answers with the same. 8 B: a number; more:
/// a vector, whose length travels with it; much more: an array that is handed on. To be awaited on
/// rank 0.
inline roam::Task<double> message_one_way(std::size_t bytes, int count, int rounds) {
  if (bytes == sizeof(std::uint64_t)) {
    const auto begin = [] { roam::here().send<&ping<std::uint64_t>>(1, std::uint64_t{42}); };
    co_return co_await play(count, rounds, begin) / 2;
  }
  if (bytes >= handed_on_bytes) {
    const auto begin = [bytes] { roam::here().send<&ping_array>(1, ByteArray(Bytes(bytes))); };
    co_return co_await play(count, rounds, begin) / 2;
  }
  const Bytes payload(bytes);
  const auto begin = [&payload] { roam::here().send<&ping<Bytes>>(1, payload); };
  co_return co_await play(count, rounds, begin) / 2;
}

}  // namespace bench
