// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <numeric>
#include <vector>

#include "am/am_world.hpp"
#include "roam/am/remote_memory.hpp"

// Jobs whose ranks have remote memory.
namespace roam::am::testing {

/// Gives every rank of a world remote memory; must be destroyed before the world.
class Memories {
 public:
  explicit Memories(World& world) {
    for (const auto& node : world.nodes) all_.emplace_back(node->messenger);
  }
  RemoteMemory& operator[](std::size_t rank) { return all_[rank]; }
  RemoteMemory& of(const Node& node) { return all_[node.messenger.rank().index()]; }

 private:
  std::deque<RemoteMemory> all_;
};

/// The remote memory of the rank on which the calling handler runs.
inline RemoteMemory& memory() { return *exec::current()->engine->services().get<RemoteMemory>(); }

inline std::vector<std::int64_t> counting_from(std::int64_t first, std::size_t count) {
  std::vector<std::int64_t> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

/// The text of the RemoteMemoryError that an operation ends with.
template <class Pending>
Task<std::string> refusal(Pending pending) {
  try {
    (void)co_await pending;
  } catch (const RemoteMemoryError& error) {
    co_return error.what();
  }
  co_return "no error";
}
inline Task<std::string> refusal(Put pending) {
  try {
    co_await pending;
  } catch (const RemoteMemoryError& error) {
    co_return error.what();
  }
  co_return "no error";
}
inline Task<std::string> refusal(RemoteResult<> pending) {
  try {
    co_await pending;
  } catch (const RemoteMemoryError& error) {
    co_return error.what();
  }
  co_return "no error";
}

}  // namespace roam::am::testing
