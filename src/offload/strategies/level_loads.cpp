// SPDX-License-Identifier: Apache-2.0
#include "level_loads.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace roam::offload {

namespace {

double time_of(const RankLoad& rank) { return rank.load_seconds / rank.workers; }

// Number of tasks that the rank has to give away to come down to this level.
double surplus(const RankLoad& rank, double level) {
  const double above = rank.load_seconds - level * rank.workers;
  if (above <= 0 || rank.task_seconds <= 0) return 0;
  // The tolerance prevents rounding errors in sums of measured times from counting as a task.
  return std::ceil(above / rank.task_seconds - 1e-6);
}

double room(const RankLoad& rank, double level) {
  return rank.may_take ? std::max(0.0, level * rank.workers - rank.load_seconds) : 0.0;
}

// Number of whole tasks of this length that fit in.
double whole_tasks(double seconds, double task_seconds) {
  return std::floor(seconds / task_seconds + 1e-6);
}

// Average duration of the tasks that are given away, assumed for tasks that a rank below the level
// receives.
double usual_guest_seconds(const std::vector<RankLoad>& ranks) {
  double sum = 0;
  double tasks = 0;
  for (const RankLoad& rank : ranks) {
    sum += rank.guest_task_seconds * rank.may_go;
    tasks += rank.may_go;
  }
  return tasks > 0 ? sum / tasks : 0;
}

bool is_reachable(const std::vector<RankLoad>& ranks, double level, double usual_guest) {
  double given = 0;
  double taken = 0;
  for (const RankLoad& rank : ranks) {
    if (rank.load_seconds > level * rank.workers) {
      const double tasks = surplus(rank, level);
      if (tasks > rank.may_go || rank.task_seconds <= 0) return false;
      given += tasks * rank.guest_task_seconds;
    } else if (usual_guest > 0) {
      taken += whole_tasks(room(rank, level), usual_guest) * usual_guest;
    }
  }
  return given <= taken * (1 + 1e-9);
}

// Relative to the level: measured times are less exact than this.
constexpr double tolerance = 1e-5;

// The mean load, below which no level can be reached.
double least_level(const std::vector<RankLoad>& ranks) {
  double load = 0;
  double workers = 0;
  for (const RankLoad& rank : ranks) {
    load += rank.load_seconds;
    workers += rank.workers;
  }
  return workers > 0 ? load / workers : 0;
}

/// Gives tasks of ranks above the level to ranks below it, both in the order of ranks.
class Matching {
 public:
  Matching(const std::vector<RankLoad>& ranks, double level) : ranks_(ranks) {
    for (const RankLoad& rank : ranks) {
      tasks_.push_back(std::min(surplus(rank, level), static_cast<double>(rank.may_go)));
      left_.push_back(room(rank, level));
    }
  }
  /// `rounding`: part of a task that need not fit. No pair appears twice.
  void sweep(double rounding, std::vector<Quota>& quotas) {
    std::size_t taker = 0;
    for (std::size_t giver = 0; giver < ranks_.size(); ++giver) {
      const double length = ranks_[giver].guest_task_seconds;
      while (tasks_[giver] >= 1 && taker < ranks_.size()) {
        const double fits = std::floor(left_[taker] / length + rounding);
        const double now = std::min(tasks_[giver], fits);
        if (now >= 1) {
          quotas.push_back({static_cast<std::int32_t>(giver), static_cast<std::int32_t>(taker),
                            static_cast<std::uint32_t>(now)});
          tasks_[giver] -= now;
          left_[taker] -= now * length;
        }
        if (tasks_[giver] >= 1) ++taker;
      }
    }
  }

 private:
  const std::vector<RankLoad>& ranks_;
  std::vector<double> tasks_;  // tasks that each rank still has to give away
  std::vector<double> left_;   // seconds that each rank can still take
};

void join(std::vector<Quota>& quotas, const std::vector<Quota>& more) {
  if (more.empty()) return;
  std::map<std::pair<std::int32_t, std::int32_t>, std::uint32_t> tasks;
  for (const Quota& one : quotas) tasks[{one.from, one.to}] += one.tasks;
  for (const Quota& one : more) tasks[{one.from, one.to}] += one.tasks;
  quotas.clear();
  for (const auto& [pair, count] : tasks) quotas.push_back({pair.first, pair.second, count});
}

}  // namespace

LevelledLoads level_loads(const std::vector<RankLoad>& ranks) {
  LevelledLoads result;
  double low = least_level(ranks);
  for (const RankLoad& rank : ranks)
    result.before_seconds = std::max(result.before_seconds, time_of(rank));
  double high = result.before_seconds;
  const double usual_guest = usual_guest_seconds(ranks);
  while (high - low > tolerance * high) {
    const double level = 0.5 * (low + high);
    (is_reachable(ranks, level, usual_guest) ? high : low) = level;
  }
  result.after_seconds = high;
  if (high >= result.before_seconds) return result;
  Matching matching(ranks, high);
  matching.sweep(1e-6, result.quotas);
  std::vector<Quota> more;  // the rest, where durations of tasks differ
  matching.sweep(0.75, more);
  join(result.quotas, more);
  return result;
}

}  // namespace roam::offload
