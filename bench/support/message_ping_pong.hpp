// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "game.hpp"

namespace bench {

using Bytes = std::vector<std::byte>;

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

/// Seconds one way of an active message whose handler answers with the same. 8 B: a number; more:
/// a vector, whose length travels with it. To be awaited on rank 0.
inline roam::Task<double> message_one_way(std::size_t bytes, int count, int rounds) {
  if (bytes == sizeof(std::uint64_t)) {
    const auto begin = [] { roam::here().send<&ping<std::uint64_t>>(1, std::uint64_t{42}); };
    co_return co_await play(count, rounds, begin) / 2;
  }
  const Bytes payload(bytes);
  const auto begin = [&payload] { roam::here().send<&ping<Bytes>>(1, payload); };
  co_return co_await play(count, rounds, begin) / 2;
}

}  // namespace bench
