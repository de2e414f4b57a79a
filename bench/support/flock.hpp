// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <roam/roam.hpp>
#include <vector>

#include "game.hpp"

namespace bench {

/// Objects that all set out together from rank 0 to rank 1, and back once all are there.
struct Bird {
  std::vector<std::byte> cargo;
  std::uint32_t flock = 0;  // how many there are

  void grow(std::size_t bytes, std::uint32_t birds) {
    cargo.resize(bytes);
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
inline std::vector<roam::mobile_ptr<Bird>> birds;  // rank 0's

inline void set_out(std::int32_t target) {
  for (const auto& bird : birds) {
    bird.migrate(target);
    bird.send<&Bird::land>();
  }
}
inline void all_are_here() {
  if (player().next()) set_out(1);
}
inline void send_back() { set_out(0); }
inline void Bird::land() {
  const int rank = roam::here().rank().value();
  if (++landed[static_cast<std::size_t>(rank)] < flock) return;
  landed[static_cast<std::size_t>(rank)] = 0;
  if (rank == 0) {
    all_are_here();
  } else {
    roam::here().send<&send_back>(0);
  }
}

/// Seconds for each of `count` objects of this size that migrate at once, half of there and back.
/// To be awaited on rank 0.
inline roam::Task<double> migration_of_many(std::size_t bytes, std::uint32_t count, int blocks) {
  birds.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    birds.push_back(roam::here().create<Bird>());
    co_await birds.back().call<&Bird::grow>(bytes, count);
  }
  const double seconds = co_await play(blocks, 1, [] { set_out(1); }) / 2;
  for (const auto& bird : birds) bird.destroy();
  co_return seconds / count;
}

}  // namespace bench
