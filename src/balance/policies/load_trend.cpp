// SPDX-License-Identifier: Apache-2.0
#include "load_trend.hpp"

#include <algorithm>

namespace roam::balance {

namespace {

// The largest ratio of a predicted load to the present one. Chosen: a trend over a few windows
// supports no more.
constexpr double most_growth = 4;
// Number of windows in the time that the work left lasts. Chosen.
constexpr double windows = 8;

void add(std::atomic<double>& sum, double value) {
  if (value != 0) sum.fetch_add(value, std::memory_order_relaxed);
}

}  // namespace

void LoadTrend::notify(const mobile::Record& record, mobile::LoadListener::Change change) {
  if (change == mobile::LoadListener::Change::load) return;
  const bool has_come = change == mobile::LoadListener::Change::arrived;
  const double sign = has_come ? 1 : -1;
  if (has_come && record.packed_bytes > 0) {
    typical_bytes_.store(record.packed_bytes, std::memory_order_relaxed);
  }
  if (record.pending_calls == 0) return;
  add(moved_seconds_, sign * record.pending_seconds);
  add(moved_weight_, sign * record.pending_weight);
}

void LoadTrend::watch(const RankLoad& load, Instant now, double shortest_window) {
  const double rate = load.rate();
  const double moved = moved_seconds_.load(std::memory_order_relaxed) +
                       rate * moved_weight_.load(std::memory_order_relaxed);
  done_ += running_ * seconds(now - last_);
  last_ = now;
  running_ = std::min(load.running, load.workers);
  const double total = load.total(rate);
  const double elapsed = seconds(now - window_begin_);
  if (elapsed < std::max(shortest_window, total / load.workers / windows)) return;
  const double made = total - total_at_begin_ + done_ - (moved - moved_at_begin_);
  const double window_growth = std::max(0.0, made / elapsed);
  growth_ = window_growth_ < 0 ? 0 : std::min(window_growth, window_growth_);
  window_growth_ = window_growth;
  window_begin_ = now;
  total_at_begin_ = total;
  moved_at_begin_ = moved;
  done_ = 0;
}

RankLoad LoadTrend::predicted(const RankLoad& load) const {
  const double idle = std::max(1 - growth_ / load.workers, 1 / most_growth);
  RankLoad more = load;
  for (double* value : {&more.seconds, &more.weight, &more.queued_seconds, &more.queued_weight}) {
    *value /= idle;
  }
  return more;
}

}  // namespace roam::balance
