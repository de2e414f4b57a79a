// SPDX-License-Identifier: Apache-2.0
#include "rank_figures.hpp"

namespace roam {

namespace {

/// The time from which a figure counts.
enum class Since : std::uint8_t { measurement, start };

/// A figure of RankStatistics with its name in traces.
struct RankFigure {
  const char* name;
  std::uint64_t RankStatistics::*figure;
  Since since;
};

constexpr RankFigure rank_figures[] = {
    {"messages_sent", &RankStatistics::messages_sent, Since::measurement},
    {"bytes_sent", &RankStatistics::bytes_sent, Since::measurement},
    {"messages_received", &RankStatistics::messages_received, Since::measurement},
    {"messages_rejected", &RankStatistics::messages_rejected, Since::measurement},
    {"migrations_out", &RankStatistics::migrations_out, Since::measurement},
    {"migrations_in", &RankStatistics::migrations_in, Since::measurement},
    {"migrations_refused", &RankStatistics::migrations_refused, Since::measurement},
    {"migrated_bytes_out", &RankStatistics::migrated_bytes_out, Since::measurement},
    {"forwarded_calls", &RankStatistics::forwarded_calls, Since::measurement},
    {"objects", &RankStatistics::objects, Since::start},
    {"most_held_bytes", &RankStatistics::most_held_bytes, Since::start},
    {"most_waiting_bytes", &RankStatistics::most_waiting_bytes, Since::start},
    {"times_held_back", &RankStatistics::times_held_back, Since::start},
    {"refused_requests", &RankStatistics::refused_requests, Since::start},
};

}  // namespace

Counters figures_of(const RankStatistics& rank) {
  Counters all;
  for (const RankFigure& one : rank_figures)
    all.push_back({one.name, static_cast<double>(rank.*one.figure)});
  all.push_back({"refused_gain_seconds", rank.refused_gain_seconds});
  all.push_back({"refused_cost_seconds", rank.refused_cost_seconds});
  all.insert(all.end(), rank.counters.begin(), rank.counters.end());
  return all;
}

void subtract_figures(RankStatistics& rank, const RankStatistics& at_begin) {
  for (const RankFigure& one : rank_figures) {
    if (one.since == Since::measurement) rank.*one.figure -= at_begin.*one.figure;
  }
  subtract_counters(rank.counters, at_begin.counters);
}

}  // namespace roam
