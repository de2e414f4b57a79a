// SPDX-License-Identifier: Apache-2.0
#include "progress_reporter.hpp"

#include <algorithm>

#include "roam/runtime/runtime.hpp"

namespace roam {

ProgressReporter::ProgressReporter(Runtime& runtime) : runtime_(runtime) {
  runtime_.messenger().bind("roam.progress", this, &ProgressReporter::on_figures);
  if (runtime_.rank() != 0) return;
  of_rank_.resize(static_cast<std::size_t>(runtime_.size()));
  line_ = std::make_unique<trace::ProgressLine>();
}

ProgressReporter::Figures ProgressReporter::own() const {
  Figures figures;
  const RankStatistics statistics = runtime_.statistics();
  for (const WorkerStatistics& worker : statistics.workers) {
    figures.handlers_run += worker.handlers_run;
    figures.busy_seconds += worker.busy_seconds;
    ++figures.workers;
  }
  figures.pending = runtime_.objects().pending_calls();
  figures.migrations = statistics.migrations_out;
  return figures;
}

std::size_t ProgressReporter::poll(Instant now) {
  if (now < next_) return 0;
  next_ = now + trace::ProgressLine::period_in_place;
  if (runtime_.rank() != 0) {
    core::Packer packer = runtime_.messenger().begin();
    core::pack(packer, own());
    runtime_.messenger().post(0, am::constant_handler_id("roam.progress"), std::move(packer),
                              false);
    return 0;
  }
  of_rank_[0] = own();
  if (line_->is_due(now)) line_->show(now, sum(now));
  return 0;
}

trace::ProgressFigures ProgressReporter::sum(Instant now) {
  trace::ProgressFigures all;
  all.elapsed = now;
  double busy = 0;
  double workers = 0;
  for (const Figures& figures : of_rank_) {
    all.handlers_run += figures.handlers_run;
    all.pending += figures.pending;
    all.migrations += figures.migrations;
    busy += figures.busy_seconds;
    workers += static_cast<double>(figures.workers);
  }
  const double available = workers * seconds(now - last_shown_);
  if (available > 0)
    all.busy_fraction = std::clamp((busy - last_busy_seconds_) / available, 0.0, 1.0);
  last_busy_seconds_ = busy;
  last_shown_ = now;
  return all;
}

void ProgressReporter::finish() {
  if (line_ == nullptr) return;
  of_rank_[0] = own();
  line_->finish(sum(runtime_.engine().now()));
}

void ProgressReporter::on_figures(void* self, am::Incoming&& message) {
  auto& reporter = *static_cast<ProgressReporter*>(self);
  core::Unpacker bytes(message.payload());
  const auto figures = core::unpack<Figures>(bytes);
  if (message.source.index() < reporter.of_rank_.size())
    reporter.of_rank_[message.source.index()] = figures;
}

}  // namespace roam
