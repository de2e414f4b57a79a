// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <roam/roam.hpp>
#include <vector>

#include "game.hpp"

namespace bench {

/// Objects that all set out together from rank 0 to rank 1, and back once all are there. Their
/// cargo is a roam::Array or a std::vector.
template <class Cargo>
struct Bird {
  Cargo cargo;
  std::uint32_t flock = 0;  // how many there are

  void grow(std::size_t bytes, std::uint32_t birds) {
    cargo = Cargo(bytes);
    std::memset(cargo.data(), 1, bytes);
    flock = birds;
  }
  void land();
  template <class Archive>
  void serialize(Archive& archive) {
    archive(cargo, flock);
  }
};

// By rank, touched by its one worker alone.
inline std::array<std::uint32_t, 2> landed;
template <class Cargo>
inline std::vector<roam::mobile_ptr<Bird<Cargo>>> birds;  // rank 0's

template <class Cargo>
void set_out(std::int32_t target) {
  for (const auto& bird : birds<Cargo>) {
    bird.migrate(target);
    bird.template send<&Bird<Cargo>::land>();
  }
}
template <class Cargo>
void all_are_here() {
  if (player().next()) set_out<Cargo>(1);
}
template <class Cargo>
void send_back() {
  set_out<Cargo>(0);
}
template <class Cargo>
void Bird<Cargo>::land() {
  const int rank = roam::here().rank().value();
  if (++landed[static_cast<std::size_t>(rank)] < flock) return;
  landed[static_cast<std::size_t>(rank)] = 0;
  if (rank == 0) {
    all_are_here<Cargo>();
  } else {
    roam::here().send<&send_back<Cargo>>(0);
  }
}

/// Seconds for each of `count` objects of this size that migrate at once, half of there and back.
/// To be awaited on rank 0.
template <class Cargo>
roam::Task<double> migration_of_many(std::size_t bytes, std::uint32_t count, int blocks) {
  auto& all = birds<Cargo>;
  all.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    all.push_back(roam::here().create<Bird<Cargo>>());
    co_await all.back().template call<&Bird<Cargo>::grow>(bytes, count);
  }
  const double seconds = co_await play(blocks, 1, [] { set_out<Cargo>(1); }) / 2;
  for (const auto& bird : all) bird.destroy();
  co_return seconds / count;
}

}  // namespace bench
