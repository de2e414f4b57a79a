// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "roam/core/detail/buffer.hpp"
#include "roam/core/detail/rank_tree.hpp"
#include "roam/core/types.hpp"

namespace roam::transport {

/// Sums over all ranks, along the binary tree of ranks: up to rank 0, and the result down again.
/// Round 0 sums one number for every rank, round 1 none: it is a barrier. Stores messages whenever
/// they come; the owner moves the bytes and waits.
class ClosingTree {
 public:
  using Numbers = std::vector<std::int64_t>;
  static constexpr std::size_t rounds = 2;

  ClosingTree(Rank rank, std::int32_t size) : tree_(rank, size), size_(size) {}

  [[nodiscard]] std::optional<Rank> parent() const { return tree_.parent(); }
  [[nodiscard]] core::RankTree::Children children() const { return tree_.children(); }

  /// The numbers in the form in which they are sent, in either direction.
  [[nodiscard]] static core::Buffer pack(std::size_t round, const Numbers& numbers) {
    const std::uint64_t head = round;
    core::Buffer data = core::Buffer::allocate(sizeof head + numbers.size() * sizeof numbers[0]);
    data.append(&head, sizeof head);
    data.append(numbers.data(), numbers.size() * sizeof numbers[0]);
    return data;
  }
  /// Processes a message. False if it is not one that `source` may send.
  [[nodiscard]] bool take(Rank source, const void* data, std::size_t bytes) {
    std::uint64_t head = rounds;
    if (bytes < sizeof head) return false;
    std::memcpy(&head, data, sizeof head);
    bytes -= sizeof head;
    // Round 0 has a number for every rank, round 1 none.
    const std::size_t count = head == 0 ? static_cast<std::size_t>(size_) : 0;
    if (head >= rounds || bytes != count * sizeof(std::int64_t)) return false;
    Numbers numbers(count);
    if (bytes != 0)
      std::memcpy(numbers.data(), static_cast<const char*>(data) + sizeof head, bytes);
    Round& round = rounds_[head];
    if (parent() && source == *parent()) {
      round.result = std::move(numbers);
      return true;
    }
    if (!children().contain(source)) return false;
    add(head, numbers);
    return true;
  }

  /// Adds this rank's own numbers or a child's.
  void add(std::size_t index, const Numbers& numbers) {
    Round& round = rounds_[index];
    ++round.joined;
    round.sum.resize(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) round.sum[i] += numbers[i];
  }
  /// True if all children and this rank have joined: the sum of this subtree is complete.
  [[nodiscard]] bool is_complete(std::size_t round) const {
    return rounds_[round].joined >= children().size() + 1;
  }
  [[nodiscard]] const Numbers& sum(std::size_t round) const { return rounds_[round].sum; }
  /// The sum over all ranks; nullptr before it is known.
  [[nodiscard]] const Numbers* result(std::size_t round) const {
    if (!parent()) return is_complete(round) ? &rounds_[round].sum : nullptr;
    return rounds_[round].result ? &*rounds_[round].result : nullptr;
  }

 private:
  struct Round {
    Numbers sum;
    std::size_t joined = 0;
    std::optional<Numbers> result;
  };
  const core::RankTree tree_;
  const std::int32_t size_;
  std::array<Round, rounds> rounds_;
};

}  // namespace roam::transport
