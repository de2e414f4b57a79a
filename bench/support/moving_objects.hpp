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
struct MovingObject {
  Cargo cargo;
  std::uint32_t object_count = 0;  // how many there are

  void grow(std::size_t bytes, std::uint32_t count) {
    cargo = Cargo(bytes);
    std::memset(cargo.data(), 1, bytes);
    object_count = count;
  }
  void land();
  template <class Archive>
  void serialize(Archive& archive) {
    archive(cargo, object_count);
  }
};

// By rank, touched by its one worker alone.
inline std::array<std::uint32_t, 2> landed;
template <class Cargo>
inline std::vector<roam::mobile_ptr<MovingObject<Cargo>>> moving_objects;  // rank 0's

template <class Cargo>
void set_out(std::int32_t target) {
  for (const auto& object : moving_objects<Cargo>) {
    object.migrate(target);
    object.template send<&MovingObject<Cargo>::land>();
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
void MovingObject<Cargo>::land() {
  const int rank = roam::here().rank().value();
  if (++landed[static_cast<std::size_t>(rank)] < object_count) return;
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
  auto& all = moving_objects<Cargo>;
  all.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    all.push_back(roam::here().create<MovingObject<Cargo>>());
    co_await all.back().template call<&MovingObject<Cargo>::grow>(bytes, count);
  }
  const double seconds = co_await play(blocks, 1, [] { set_out<Cargo>(1); }) / 2;
  for (const auto& object : all) object.destroy();
  co_return seconds / count;
}

}  // namespace bench
