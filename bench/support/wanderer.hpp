// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <roam/roam.hpp>
#include <vector>

#include "game.hpp"

namespace bench {

/// An object of 8 bytes of state (its own name) and a cargo, that moves between ranks 0 and 1. The
/// call that makes it move on is issued before it leaves and travels with it. By pointer: inside a
/// process it changes hands without being packed.
template <bool ByPointer>
struct Wanderer {
  static constexpr bool moves_by_pointer = ByPointer;
  roam::mobile_ptr<Wanderer> self;
  std::vector<std::byte> cargo;

  void hop() {
    const int rank = roam::here().rank().value();
    if (rank == 0 && !player().next()) return;
    self.migrate(1 - rank);
    self.template send<&Wanderer::hop>();
  }
  void name(roam::mobile_ptr<Wanderer> own_name, std::size_t bytes) {
    self = own_name;
    cargo.resize(bytes - sizeof self);
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(self, cargo);
  }
};

/// Seconds of one migration, half of there and back: packing, transfer, unpacking, the answer that
/// frees the copy left behind, and the call that travels along. To be awaited on rank 0.
template <bool ByPointer = false>
roam::Task<double> migration(std::size_t bytes, int count, int rounds) {
  using Object = Wanderer<ByPointer>;
  const auto wanderer = roam::here().create<Object>();
  co_await wanderer.template call<&Object::name>(wanderer, bytes);
  const auto begin = [&wanderer] { wanderer.template send<&Object::hop>(); };
  const double seconds = co_await play(count, rounds, begin) / 2;
  wanderer.destroy();
  co_return seconds;
}

}  // namespace bench
