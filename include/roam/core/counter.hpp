// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace roam {

/// One figure of one rank, by name.
struct Counter {
  /// How figures of several ranks, or of several moments, are put together.
  enum class Kind : std::uint8_t {
    total,  ///< counts up from the rank's start; a measurement has what it added, a job the sum
    most    ///< the most since the rank's start, for a job the most of a rank
  };
  std::string name;         ///< with its unit, if it has one: "tasks_sent_away", "waited_seconds"
  double value = 0;         ///< in the unit that the name says
  Kind kind = Kind::total;  ///< how it is put together with others

  template <class Archive>
  void serialize(Archive& archive) {
    archive(name, value, kind);
  }
};

/// Figures by name, each once, in the order in which they were first added.
using Counters = std::vector<Counter>;

/// Joins the figures of `others` to `all`: totals are added up, of each Kind::most the greater
/// stays.
void join_counters(Counters& all, const Counters& others);
/// Takes from each total what it was at `baseline`; figures of Kind::most stay.
void subtract_counters(Counters& counters, const Counters& baseline);
/// The figure of that name; 0 if there is none.
[[nodiscard]] double value_of(const Counters& counters, const std::string& name);

}  // namespace roam
