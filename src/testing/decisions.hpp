// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "roam/testing/explore.hpp"

namespace roam::testing {

enum class DecisionKind : std::uint8_t {
  late_message,
  late_step,
  slow_rank,
  tie,
  preemption,
  migration,
  migration_inside,
  refusal,
  action,
  loss
};
inline constexpr std::size_t decision_kinds = 10;

/// Names a place where a disturbance is possible, the same in every run that reaches it: its kind,
/// where (ranks, workers), and its number among those.
using DecisionId = std::uint64_t;
[[nodiscard]] constexpr DecisionId decision_id(DecisionKind kind, std::uint32_t a, std::uint32_t b,
                                               std::uint64_t n) {
  return (static_cast<std::uint64_t>(kind) << 60U) | (std::uint64_t{a & 0xfffU} << 48U) |
         (std::uint64_t{b & 0xfffU} << 36U) | (n & 0xf'ffff'ffffU);
}

struct Decision {
  DecisionId id;
  std::string words;
};

/// Everything that a schedule's seed decides. The answer for a place depends on the seed and the
/// place alone; the neutral answer is no disturbance. If a list of allowed places is given, all
/// others are neutral.
class Decisions {
 public:
  Decisions(const ExploreOptions& options, std::uint64_t seed);

  /// The list must be sorted and outlive this.
  void allow_only(const std::vector<DecisionId>& allowed) { allowed_ = &allowed; }
  void keep_words() { keeps_words_ = true; }

  /// Returns a random number if the place is to be disturbed; 0: it is not.
  [[nodiscard]] std::uint64_t draw(DecisionKind kind, std::uint32_t a, std::uint32_t b,
                                   std::uint64_t n) {
    const std::uint64_t rate = rates_[static_cast<std::size_t>(kind)];
    if (rate == 0) return 0;
    const DecisionId id = decision_id(kind, a, b, n);
    core::Random random(seed_ ^ (id * 0xd1342543de82ef95ULL));
    if ((random() >> 32U) >= rate) return 0;
    if (allowed_ != nullptr && !std::binary_search(allowed_->begin(), allowed_->end(), id))
      return 0;
    return random() | 1U;
  }
  /// Reports that a disturbance really happens; `words`, called only if they are recorded, describe
  /// it.
  template <class Words>
  void made(DecisionKind kind, std::uint32_t a, std::uint32_t b, std::uint64_t n, Words&& words) {
    ++count_;
    if (keeps_words_) decisions_.push_back({decision_id(kind, a, b, n), words()});
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::vector<Decision> take() { return std::exchange(decisions_, {}); }

 private:
  void set_rate(DecisionKind kind, const Disturbance& disturbance, core::Random& random);

  const std::uint64_t seed_;
  std::uint64_t rates_[decision_kinds] = {};  // in units of 2^-32
  const std::vector<DecisionId>* allowed_ = nullptr;
  bool keeps_words_ = false;
  std::uint64_t count_ = 0;
  std::vector<Decision> decisions_;
};

/// A duration between 1 and longest, for a random number.
[[nodiscard]] inline Duration scaled(std::uint64_t drawn, Duration longest) {
  __extension__ using Wide = unsigned __int128;
  const auto most = static_cast<std::uint64_t>(std::max<std::int64_t>(longest.count(), 1));
  return Duration(1 + static_cast<std::int64_t>((static_cast<Wide>(drawn) * most) >> 64U));
}

}  // namespace roam::testing
