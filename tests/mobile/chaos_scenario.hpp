// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "roam/roam.hpp"
#include "roam/testing/check.hpp"
#include "roam/testing/explore.hpp"

/// A few objects that call each other, ask each other and end while others still call them: small
/// enough for thousands of schedules per second, with every kind of call in it.
namespace chaos {

/// Names one call in its sender's order.
struct Stamp {
  std::uint64_t stream = 0;  // one per handler execution
  std::uint32_t number = 0;  // among the stream's calls to this object
  std::uint32_t depth = 0;   // of calls that the call may still cause
  std::uint64_t seed = 0;    // of what it does
};

/// What an object has received of one stream.
struct Seen {
  std::uint32_t calls = 0;
  std::uint32_t exclusive = 0;  // one more than the number of the last exclusive one
};

struct Node {
  static constexpr bool moves_by_pointer = true;  // in schedules whose ranks share a process

  std::uint32_t index = 0;
  std::uint64_t runs = 0;              // has to agree with the world's count through all moves
  std::map<std::uint64_t, Seen> seen;  // by stream
  std::vector<std::uint64_t> ballast;  // grows, so that some states are large

  void work(Stamp stamp);
  void look(Stamp stamp) const;
  roam::Task<> ask(Stamp stamp, std::uint32_t whom);
  [[nodiscard]] std::uint64_t answer(std::uint64_t question) const { return question + index; }

  template <class Archive>
  void serialize(Archive& archive) {
    std::vector<std::pair<std::uint64_t, Seen>> flat(seen.begin(), seen.end());
    archive(index, runs, flat, ballast);
    seen = {flat.begin(), flat.end()};
  }
};
template <class Archive>
void serialize(Archive& archive, Seen& seen) {
  archive(seen.calls, seen.exclusive);
}

struct World {
  World(std::uint64_t own_seed, std::uint32_t objects)
      : nodes(objects), runs(objects), ended(objects), seed(own_seed) {}
  std::vector<roam::mobile_ptr<Node>> nodes;
  std::vector<std::uint64_t> runs;  // exclusive ones, by object
  std::vector<bool> ended;
  std::uint64_t seed;
  std::uint64_t streams = 0;
  std::uint64_t sum = 0;  // of what the ranks have given to the reduction
};

/// How large the scenario is.
struct Size {
  std::uint32_t objects = 6;
  std::uint32_t calls = 3;  // each main program, in each of two parts
  std::uint32_t depth = 2;
  std::uint32_t destroyed = 1;
};

/// A different size for every schedule: two objects that all ranks use, or six.
[[nodiscard]] Size draw_size(roam::testing::Schedule& schedule);

[[nodiscard]] roam::testing::Scenario make_scenario(roam::testing::Schedule& schedule,
                                                    const Size& size);

}  // namespace chaos
