// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tuple>

#include "roam/am/detail/system_message.hpp"
#include "roam/trace/detail/progress_line.hpp"

namespace roam {

class Runtime;

/// The progress of one rank, or the sum over several; ranks send it to rank 0.
struct ProgressCounts {
  static constexpr am::MessageKind kind{"roam.progress", am::Counted::no};
  std::uint64_t handlers_run = 0;
  std::uint64_t pending = 0;
  std::uint64_t migrations = 0;
  double busy_seconds = 0;
  std::uint64_t workers = 0;
  std::uint64_t refused_requests = 0;  // as in RankStatistics
  double refused_gain_seconds = 0;
  double refused_cost_seconds = 0;
  void add(const ProgressCounts& other);
  static constexpr auto fields(auto& m) {
    return std::tie(m.handlers_run, m.pending, m.migrations, m.busy_seconds, m.workers,
                    m.refused_requests, m.refused_gain_seconds, m.refused_cost_seconds);
  }
};
[[nodiscard]] ProgressCounts counts_of(Runtime& runtime);

/// Computes the progress line of all ranks together, and how busy they were since the last line.
class ProgressOfAll {
 public:
  [[nodiscard]] trace::ProgressFigures figures(const ProgressCounts& all, Instant now);

 private:
  double last_busy_seconds_ = 0;
  Instant last_shown_{0};
};

}  // namespace roam
