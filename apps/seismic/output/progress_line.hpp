// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace seismic {

/// Tells a user on standard error how far a long run is: on a terminal by one line that is written
/// anew each time, elsewhere (a file, or what mpirun forwards) by a line of its own at most every
/// 30 seconds, so that short runs say nothing. For one thread of one process.
class ProgressLine {
 public:
  /// `end`: the time that the waves are followed to, in s.
  explicit ProgressLine(double end);

  /// The waves have been computed until `time` (in s, greater than zero), and that took `wall`
  /// seconds.
  void show(double time, double wall);

 private:
  [[nodiscard]] std::string text(double time, double wall) const;

  double end_;
  bool overwrites_;
  double next_;  // wall clock from which the next line of its own may be written
};

}  // namespace seismic
