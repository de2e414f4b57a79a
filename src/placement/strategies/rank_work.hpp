// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "common.hpp"

namespace roam::placement {

/// The work of each rank, updated as objects come and go, and a limit on the ranks' times.
class RankWork {
 public:
  /// `work`: seconds per rank to begin with.
  RankWork(std::vector<double> work, const Machine& machine)
      : per_second_(capacities(machine)), work_(std::move(work)) {}

  [[nodiscard]] std::size_t ranks() const { return work_.size(); }
  [[nodiscard]] double mean_seconds() const {
    return std::accumulate(work_.begin(), work_.end(), 0.0) /
           std::accumulate(per_second_.begin(), per_second_.end(), 0.0);
  }
  [[nodiscard]] double time(std::size_t r) const { return work_[r] / per_second_[r]; }
  [[nodiscard]] double max_seconds() const {
    double most = 0;
    for (std::size_t r = 0; r < ranks(); ++r) most = std::max(most, time(r));
    return most;
  }
  /// Sets the limit. Sums of many loads are not exact: a rank may exceed it by a part in 10^12.
  void set_limit(double seconds) { limit_ = seconds * (1 + 1e-12); }
  [[nodiscard]] bool is_within_limit() const { return max_seconds() <= limit_; }
  /// Work that rank r can still take without exceeding the limit; negative: it is overloaded.
  [[nodiscard]] double slack(std::size_t r) const { return limit_ * per_second_[r] - work_[r]; }
  void add(double seconds, std::size_t to) { work_[to] += seconds; }
  void move(double seconds, std::size_t from, std::size_t to) {
    work_[from] -= seconds;
    work_[to] += seconds;
  }

 private:
  std::vector<double> per_second_;
  std::vector<double> work_;
  double limit_ = 0;
};

}  // namespace roam::placement
