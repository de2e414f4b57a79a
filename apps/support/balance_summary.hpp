// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <roam/roam.hpp>

namespace support {

/// What balancing did in a run: how unequal ranks were in the first phase and in the last one, and
/// how many objects have moved. All ranks have the same reports, so any of them may print it.
class BalanceSummary {
 public:
  /// Adds a phase that has ended.
  void note(const roam::balance::PhaseReport& phase);
  /// Prints three lines of a name, two spaces or more and a value. Without a phase, all values are
  /// 0. `objects`: what the program calls the objects that move, at most 14 letters.
  void print(const char* objects) const;

 private:
  double first_ = 0;
  double last_ = 0;
  std::uint64_t phases_ = 0;
  std::uint64_t moved_ = 0;
};

}  // namespace support
