// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "common.hpp"

namespace roam::placement {

/// The memory that each rank needs, updated as objects come and go (see MemoryNeeds).
class RankMemory {
 public:
  RankMemory(const MemoryNeeds& needs, const Placement& placement)
      : needs_(needs), ranks_(needs.rank_bytes.size()) {
    for (std::size_t r = 0; r < ranks_.size(); ++r) ranks_[r].bytes = needs.rank_bytes[r];
    for (std::size_t i = 0; i < placement.size(); ++i) {
      add(static_cast<ObjectIndex>(i), static_cast<std::size_t>(placement[i]));
    }
  }

  [[nodiscard]] double bytes(std::size_t r) const {
    const OneRank& rank = ranks_[r];
    return rank.bytes + (rank.working.empty() ? 0 : rank.working.rbegin()->first);
  }
  [[nodiscard]] double excess(std::size_t r) const {
    return std::max(0.0, bytes(r) - needs_.limit_bytes);
  }
  void move(ObjectIndex object, std::size_t from, std::size_t to) {
    remove(object, from);
    add(object, to);
  }

 private:
  struct OneRank {
    double bytes = 0;  // everything but what running objects need
    std::map<double, std::uint32_t> working;
    // Number of objects here by shared block.
    std::unordered_map<std::uint32_t, std::uint32_t> users;
  };

  void add(ObjectIndex object, std::size_t r) {
    OneRank& rank = ranks_[r];
    rank.bytes += needs_.object_bytes[object];
    ++rank.working[needs_.working_bytes[object]];
    const std::uint32_t block = needs_.block[object];
    if (block == MemoryNeeds::no_block) return;
    if (++rank.users[block] == 1) rank.bytes += needs_.block_bytes[block];
  }
  void remove(ObjectIndex object, std::size_t r) {
    OneRank& rank = ranks_[r];
    rank.bytes -= needs_.object_bytes[object];
    const auto working = rank.working.find(needs_.working_bytes[object]);
    if (--working->second == 0) rank.working.erase(working);
    const std::uint32_t block = needs_.block[object];
    if (block == MemoryNeeds::no_block) return;
    const auto users = rank.users.find(block);
    if (--users->second > 0) return;
    rank.bytes -= needs_.block_bytes[block];
    rank.users.erase(users);
  }

  const MemoryNeeds& needs_;
  std::vector<OneRank> ranks_;
};

}  // namespace roam::placement
