// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace roam {

/// One figure of one rank, by name.
struct Counter {
  /// How figures of several ranks, or of several moments, are combined.
  enum class Kind : std::uint8_t {
    total,  ///< the count since the rank's start; measurements give the increase, jobs the sum of
            ///< their ranks
    most    ///< the greatest value since the rank's start; jobs give the greatest of their ranks
  };
  std::string name;         ///< with its unit, if it has one: "tasks_sent_away", "waited_seconds"
  double value = 0;         ///< in the unit that the name says
  Kind kind = Kind::total;  ///< how it is combined with others

  template <class Archive>
  void serialize(Archive& archive) {
    archive(name, value, kind);
  }
};

/// Figures by name, each once, in the order in which they were first added.
using Counters = std::vector<Counter>;

/// Adds the figures of `others` to `all`: totals are added up, and of two figures of Kind::most the
/// greater one remains.
void join_counters(Counters& all, const Counters& others);
/// Subtracts from each total its value in `baseline`; figures of Kind::most remain as they are.
void subtract_counters(Counters& counters, const Counters& baseline);
/// The value of the figure of that name; 0 if there is none.
[[nodiscard]] double value_of(const Counters& counters, const std::string& name);

}  // namespace roam
