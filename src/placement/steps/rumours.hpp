// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "roam/core/random.hpp"

namespace roam::placement {

/// What a rank has heard about another that has spare capacity. Plain bytes.
struct Rumour {
  double seconds = 0;   ///< time that its work lasts
  double capacity = 1;  ///< seconds of work that it does per second
  std::int32_t rank = 0;
  std::int32_t padding = 0;
};

/// What a rank has heard: at most `most` rumours, one for each rank; a random choice if there are
/// more.
class Rumours {
 public:
  explicit Rumours(std::size_t most) : most_(most) {}
  void clear() { list_.clear(); }
  [[nodiscard]] bool empty() const { return list_.empty(); }
  [[nodiscard]] const std::vector<Rumour>& list() const { return list_; }
  /// True if anything was new.
  bool hear(std::span<const Rumour> others, core::Random& random);

  /// A rank that can take `seconds` of work and then lasts no longer than `limit`, or nullptr. It
  /// is drawn with a probability that falls linearly with the time its work lasts (the CMF of Menon
  /// and Kale 2013, scaled by max(mean, longest heard of)). The caller may change its work.
  [[nodiscard]] Rumour* choose(double seconds, double limit, double mean, core::Random& random);

 private:
  const std::size_t most_;
  std::vector<Rumour> list_;  // by rank
};

}  // namespace roam::placement
