// SPDX-License-Identifier: Apache-2.0
#include "level_loads.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>

namespace roam::offload {

namespace {

// As std::floor and std::ceil for numbers that are not negative. Without SSE 4.1 those are function
// calls, of which a decision would make a few hundred thousand.
double rounded_down(double value) {
  constexpr double most = 1e15;  // tasks: more than anybody has
  return static_cast<double>(static_cast<std::int64_t>(std::min(value, most)));
}
double rounded_up(double value) {
  const double below = rounded_down(value);
  return below < value ? below + 1 : below;
}

double time_of(const RankLoad& rank) { return rank.load_seconds / rank.workers; }

// Tasks that a rank with so much above the level has to give away. A hair above is no task: loads
// are sums of measured times.
double surplus(double above_seconds, double tasks_per_second) {
  return rounded_up(std::max(0.0, above_seconds * tasks_per_second - 1e-6));
}

// Seconds of work, as the average rank computes it, that a rank can take before it reaches the
// level.
double capacity_left(const RankLoad& rank, double level) {
  const double seconds = std::max(0.0, level * rank.workers - rank.load_seconds);
  return rank.may_take ? seconds / rank.pace : 0.0;
}

// The length of the tasks that are given away, on average: what a rank below the level is expected
// to get.
double usual_guest_seconds(const std::vector<RankLoad>& ranks) {
  double sum = 0;
  double tasks = 0;
  for (const RankLoad& rank : ranks) {
    sum += rank.guest_task_seconds * rank.may_go;
    tasks += rank.may_go;
  }
  return tasks > 0 ? sum / tasks : 0;
}

// Relative to the level: measured times are less exact than this.
constexpr double tolerance = 1e-5;

}  // namespace

/// How much work there is to give and to take at a level. Asked of a dozen levels in a decision:
/// what does not depend on the level is worked out once, and ranks above the least level come
/// first, so that the processor can foresee which side a rank is on.
class LoadLeveller::Levels {
 public:
  void set(const std::vector<RankLoad>& ranks, double least_level) {
    usual_guest_ = usual_guest_seconds(ranks);
    const double guests_per_second = usual_guest_ > 0 ? std::min(1 / usual_guest_, most_rate) : 0;
    ranks_.resize(ranks.size());
    above_ = 0;
    std::size_t below = ranks.size();
    for (const RankLoad& rank : ranks) {
      const bool is_above = rank.load_seconds > least_level * rank.workers;
      below -= is_above ? 0 : 1;
      const bool gives = rank.task_seconds > 0 && rank.may_go > 0;
      ranks_[is_above ? above_ : below] = {
          .workers = rank.workers,
          .load_seconds = rank.load_seconds,
          .guests_per_second = rank.may_take ? guests_per_second / rank.pace : 0,
          .tasks_per_second = gives ? 1 / rank.task_seconds : 0,
          .guest_seconds = rank.guest_task_seconds,
          .may_go = gives ? static_cast<double>(rank.may_go) : 0};
      above_ += is_above ? 1 : 0;
    }
  }
  /// The work that ranks below the level could take beyond what those above it have to give; below
  /// 0: the level cannot be reached. Does not fall as the level grows. Requires a level that is not
  /// below the least one.
  [[nodiscard]] double spare(double level) const {
    double given = 0;
    std::int64_t guests = 0;
    for (std::size_t i = 0; i < above_; ++i) {
      const Load& rank = ranks_[i];
      const double above = rank.load_seconds - level * rank.workers;
      if (above > 0) {
        const double tasks = surplus(above, rank.tasks_per_second);
        if (tasks > rank.may_go || rank.may_go == 0)
          return -std::numeric_limits<double>::infinity();
        given += tasks * rank.guest_seconds;
      } else {
        guests += guests_of(rank, level);
      }
    }
    for (std::size_t i = above_; i < ranks_.size(); ++i) guests += guests_of(ranks_[i], level);
    return static_cast<double>(guests) * usual_guest_ * (1 + 1e-9) - given;
  }

 private:
  struct Load {
    double workers = 1;
    double load_seconds = 0;
    double guests_per_second = 0;  // 0: it takes none
    double tasks_per_second = 0;   // 0: it can give none
    double guest_seconds = 0;
    double may_go = 0;
  };
  // Tasks are no shorter than a picosecond here, so that numbers of them remain in their range.
  static constexpr double most_rate = 1e12;
  // The number of tasks that a rank below the level takes.
  static std::int64_t guests_of(const Load& rank, double level) {
    return static_cast<std::int64_t>(
        (level * rank.workers - rank.load_seconds) * rank.guests_per_second + 1e-6);
  }
  double usual_guest_ = 0;
  std::size_t above_ = 0;  // ranks above the least level
  std::vector<Load> ranks_;
};

/// Answers which levels can be reached. An answer takes a look at all ranks, unless it follows from
/// those that have been given. Since spare work grows about in proportion to the level where there
/// are many ranks, it first looks at a few levels close to that without spare work.
class LoadLeveller::Reachable {
 public:
  Reachable(const Levels& levels, double low, double high)
      : levels_(levels), low_(low), high_(high) {
    double spare_low = levels.spare(low);
    double spare_high = levels.spare(high);
    if (spare_low >= 0) {
      high_ = low;
      return;
    }
    double width = high - low;
    for (bool is_above = true; width > tolerance * high_; is_above = !is_above) {
      const bool is_finite = spare_low > -std::numeric_limits<double>::infinity();
      const double share = is_finite ? -spare_low / (spare_high - spare_low) : 0.5;
      // A little to one side and the other in turn, so that both ends come closer.
      const double aimed = std::clamp(share + (is_above ? aside : -aside), aside, 1 - aside);
      const double level = low_ + aimed * width;
      const double spare = levels.spare(level);
      (spare >= 0 ? high_ : low_) = level;
      (spare >= 0 ? spare_high : spare_low) = spare;
      if (high_ - low_ > 0.5 * std::exchange(width, high_ - low_)) return;  // bisection is better
    }
  }
  [[nodiscard]] bool operator()(double level) {
    if (level >= high_) return true;
    if (level <= low_) return false;
    const bool is_reachable = levels_.spare(level) >= 0;
    (is_reachable ? high_ : low_) = level;
    return is_reachable;
  }

 private:
  static constexpr double aside = 0.02;  // of what is between the ends
  const Levels& levels_;
  double low_;   // cannot be reached
  double high_;  // can be reached
};

namespace {

// The mean load, or less if there are fast ranks: no lower level can be reached, even if all of
// those take tasks.
double least_level(const std::vector<RankLoad>& ranks) {
  double load = 0;
  double workers = 0;
  for (const RankLoad& rank : ranks) {
    load += rank.load_seconds;
    workers += rank.workers / std::min(1.0, rank.pace);
  }
  return workers > 0 ? load / workers : 0;
}

/// Gives tasks of ranks above the level to ranks below it.
class Matching {
 public:
  /// `tasks`, `left`: memory for it.
  Matching(const std::vector<RankLoad>& ranks, const NearRanks& near, double level,
           std::vector<double>& tasks, std::vector<double>& left)
      : ranks_(ranks), near_(near), tasks_(tasks), left_(left) {
    tasks_.clear();
    left_.clear();
    for (const RankLoad& rank : ranks) {
      const double above = rank.load_seconds - level * rank.workers;
      tasks_.push_back(std::min(surplus(above, rank.task_seconds > 0 ? 1 / rank.task_seconds : 0),
                                static_cast<double>(rank.may_go)));
      left_.push_back(capacity_left(rank, level));
    }
  }
  /// True if some tasks have found no taker.
  [[nodiscard]] bool has_rest() const {
    return std::ranges::any_of(tasks_, [](double tasks) { return tasks >= 1; });
  }
  /// `rounding`: the part of a task that need not fit. No pair comes twice.
  void sweep(double rounding, std::vector<Quota>& quotas) {
    for (const std::vector<std::size_t>& ends : near_.ends) {
      std::size_t begin = 0;
      for (const std::size_t end : ends) {
        sweep_group(begin, end, rounding, quotas);
        begin = end;
      }
    }
  }

 private:
  // Givers and takers in the order of places, so that no two edges cross.
  void sweep_group(std::size_t begin, std::size_t end, double rounding,
                   std::vector<Quota>& quotas) {
    std::size_t taking = begin;
    for (std::size_t giving = begin; giving < end && taking < end; ++giving) {
      const std::size_t giver = near_.order[giving];
      const double length = ranks_[giver].guest_task_seconds;
      const double guests_per_second = 1 / length;
      while (tasks_[giver] >= 1 && taking < end) {
        const std::size_t taker = near_.order[taking];
        const double fits = rounded_down(left_[taker] * guests_per_second + rounding);
        const double now = std::min(tasks_[giver], fits);
        if (now >= 1) {
          quotas.push_back({static_cast<std::int32_t>(giver), static_cast<std::int32_t>(taker),
                            static_cast<std::uint32_t>(now)});
          tasks_[giver] -= now;
          left_[taker] -= now * length;
        }
        if (tasks_[giver] >= 1) ++taking;
      }
    }
  }

  const std::vector<RankLoad>& ranks_;
  const NearRanks& near_;
  std::vector<double>& tasks_;  // tasks that each rank still has to give
  std::vector<double>& left_;   // seconds of work that each rank can still take
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

LoadLeveller::LoadLeveller() : levels_(std::make_unique<Levels>()) {}

LoadLeveller::~LoadLeveller() = default;

LevelledLoads LoadLeveller::level(const std::vector<RankLoad>& ranks, const NearRanks& near) {
  LevelledLoads result;
  double low = least_level(ranks);
  for (const RankLoad& rank : ranks)
    result.before_seconds = std::max(result.before_seconds, time_of(rank));
  double high = result.before_seconds;
  levels_->set(ranks, low);
  Reachable is_reachable(*levels_, low, high);
  while (high - low > tolerance * high) {
    const double level = 0.5 * (low + high);
    (is_reachable(level) ? high : low) = level;
  }
  result.after_seconds = high;
  if (high >= result.before_seconds) return result;
  Matching matching(ranks, near, high, tasks_, left_);
  result.quotas.reserve(ranks.size());
  matching.sweep(1e-6, result.quotas);
  if (!matching.has_rest()) return result;
  std::vector<Quota> more;  // where tasks differ in length
  matching.sweep(0.75, more);
  join(result.quotas, more);
  return result;
}

}  // namespace roam::offload
