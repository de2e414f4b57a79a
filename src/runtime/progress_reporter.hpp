// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "roam/am/messenger.hpp"
#include "roam/exec/engine.hpp"
#include "roam/trace/progress_line.hpp"

namespace roam {

class Runtime;

/// The live line of --roam-progress: every rank tells rank 0 how far it is a few times per second;
/// rank 0 shows the sums.
class ProgressReporter final : public exec::Poller {
 public:
  explicit ProgressReporter(Runtime& runtime);
  std::size_t poll(Instant now) override;
  [[nodiscard]] Instant next_due() const override { return next_; }
  /// Writes the last state; rank 0.
  void finish();

 private:
  struct Figures {
    std::uint64_t handlers_run = 0;
    std::uint64_t pending = 0;
    std::uint64_t migrations = 0;
    double busy_seconds = 0;
    std::uint64_t workers = 0;
  };
  [[nodiscard]] Figures own() const;
  [[nodiscard]] trace::ProgressFigures sum(Instant now);
  static void on_figures(void* self, am::Incoming&& message);

  Runtime& runtime_;
  Instant next_{0};
  std::vector<Figures> of_rank_;               // rank 0
  std::unique_ptr<trace::ProgressLine> line_;  // rank 0
  double last_busy_seconds_ = 0;
  Instant last_shown_{0};
};

}  // namespace roam
