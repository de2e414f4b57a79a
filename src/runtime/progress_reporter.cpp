// SPDX-License-Identifier: Apache-2.0
#include "progress_reporter.hpp"

#include "roam/am/detail/system_handlers.hpp"
#include "roam/runtime/runtime.hpp"

namespace roam {

ProgressReporter::ProgressReporter(Runtime& runtime) : runtime_(runtime) {
  runtime_.messenger().bind<&ProgressReporter::on_counts>(*this);
  runtime_.engine().add_poller(this);
  if (runtime_.rank() != 0) return;
  of_rank_.resize(static_cast<std::size_t>(runtime_.size()));
  line_ = std::make_unique<trace::ProgressLine>();
}

std::size_t ProgressReporter::poll(Instant now) {
  if (now < next_) return 0;
  next_ = now + trace::ProgressLine::period_in_place;
  if (runtime_.rank() != 0) {
    runtime_.messenger().post(0, counts_of(runtime_));
    return 0;
  }
  of_rank_[0] = counts_of(runtime_);
  if (line_->is_due(now)) line_->show(now, sum(now));
  return 0;
}

trace::ProgressFigures ProgressReporter::sum(Instant now) {
  ProgressCounts all;
  for (const ProgressCounts& counts : of_rank_) all.add(counts);
  return of_all_.figures(all, now);
}

void ProgressReporter::finish(std::function<void()> done) {
  show_last();
  done();
}

void ProgressReporter::leave_records(LastRecords& /*records*/, bool is_at_rest) {
  if (is_at_rest) show_last();
}

void ProgressReporter::show_last() {
  if (line_ == nullptr) return;
  of_rank_[0] = counts_of(runtime_);
  line_->finish(sum(runtime_.engine().now()));
}

void ProgressReporter::on_counts(const ProgressCounts& counts, Rank source) {
  if (source.index() < of_rank_.size()) of_rank_[source.index()] = counts;
}

namespace {

std::unique_ptr<RankPart> make_progress_reporter(Runtime& rank) {
  if (!rank.options().progress || rank.is_simulated()) return nullptr;
  return std::make_unique<ProgressReporter>(rank);
}

const RankPartRegistrar progress_reporter{{.name = "progress", .make = make_progress_reporter}};

}  // namespace

}  // namespace roam
