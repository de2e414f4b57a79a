// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace roam {

/// One figure of one rank, by name.
struct Counter {
  enum class Kind : std::uint8_t {
    total,  ///< counts up from the rank's start; a measurement has what it added, a job the sum
    most    ///< the most since the rank's start, for a job the most of a rank
  };
  std::string name;  ///< with its unit, if it has one: "tasks_sent_away", "waited_seconds"
  double value = 0;
  Kind kind = Kind::total;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(name, value, kind);
  }
};

/// By name, each once, in the order in which they were first added.
using Counters = std::vector<Counter>;

/// What both come to: totals are added up, of the most the greater stands.
void join_counters(Counters& all, const Counters& others);
/// What totals have come to since `baseline`.
void subtract_counters(Counters& counters, const Counters& baseline);
/// 0 where there is none of that name.
[[nodiscard]] double value_of(const Counters& counters, const std::string& name);

}  // namespace roam
