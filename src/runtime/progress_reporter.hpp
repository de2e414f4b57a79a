// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "progress_counts.hpp"
#include "roam/am/detail/messenger.hpp"
#include "roam/exec/engine.hpp"
#include "roam/runtime/detail/rank_part.hpp"
#include "roam/trace/detail/progress_line.hpp"

namespace roam {

/// The live line of --roam-progress in real runs: every rank reports its progress to rank 0 a few
/// times per second, which shows the sums. Simulated jobs use SimulatedProgress.
class ProgressReporter final : public exec::Poller, public RankPart {
 public:
  explicit ProgressReporter(Runtime& runtime);
  std::size_t poll(Instant now) override;
  [[nodiscard]] Instant next_due() const override { return next_; }
  void finish(std::function<void()> done) override;
  void leave_records(LastRecords& records, bool is_at_rest) override;

 private:
  /// Shows the final state; on rank 0 only.
  void show_last();
  [[nodiscard]] trace::ProgressFigures sum(Instant now);
  void on_counts(const ProgressCounts& counts, Rank source);

  Runtime& runtime_;
  Instant next_{0};
  std::vector<ProgressCounts> of_rank_;        // on rank 0
  std::unique_ptr<trace::ProgressLine> line_;  // on rank 0
  ProgressOfAll of_all_;
};

}  // namespace roam
