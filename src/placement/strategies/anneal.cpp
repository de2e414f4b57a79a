// SPDX-License-Identifier: Apache-2.0
#include "anneal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace roam::placement {

namespace {

// Cost of a rank that is over the limit by one mean load, in objects away from home. It is so high
// that a little overload is worth a move; otherwise the search would not come back below the limit.
constexpr double overload_cost = 300;
// Start temperature, in objects away from home.
constexpr double first_temperature = 1.5;
constexpr double last_temperature = 0.05;
constexpr std::uint64_t steps_per_temperature = 256;

class Annealer {
 public:
  Annealer(const LoadGraph& graph, std::span<const ObjectIndex> movable, RankWork& work,
           Placement& placement, core::Random& random)
      : graph_(graph),
        movable_(movable),
        work_(work),
        placement_(placement),
        random_(random),
        cost_per_second_(overload_cost / std::max(work.mean_seconds(), 1e-300)) {
    for (std::size_t r = 0; r < work.ranks(); ++r) overload_ += std::max(0.0, -work.slack(r));
    for (const ObjectIndex object : movable) away_ += is_away(object) ? 1 : 0;
  }

  void run(std::uint64_t steps) {
    Placement best = placement_;
    RankWork best_work = work_;
    int fewest = is_within_limit() ? away_ : std::numeric_limits<int>::max();
    const double cooling = std::pow(last_temperature / first_temperature,
                                    static_cast<double>(steps_per_temperature) /
                                        static_cast<double>(std::max<std::uint64_t>(steps, 1)));
    temperature_ = first_temperature;
    for (std::uint64_t step = 0; step < steps; ++step) {
      if (step % steps_per_temperature == 0) temperature_ *= cooling;
      if (!try_change() || away_ >= fewest || !is_within_limit()) continue;
      fewest = away_;
      best = placement_;
      best_work = work_;
    }
    placement_ = std::move(best);
    work_ = std::move(best_work);
  }

 private:
  [[nodiscard]] bool is_within_limit() const {
    // Rounding leaves a sum slightly above 0 where no rank is over the limit.
    return overload_ * cost_per_second_ < 1e-9 && work_.is_within_limit();
  }
  [[nodiscard]] std::size_t rank_of(ObjectIndex object) const {
    return static_cast<std::size_t>(placement_[object]);
  }
  [[nodiscard]] bool is_away(ObjectIndex object) const {
    return placement_[object] != graph_.rank[object];
  }

  /// Tries one change: an object goes home, or to any rank, or changes places with another.
  bool try_change() {
    const ObjectIndex first = movable_[random_.below(movable_.size())];
    const std::uint64_t kind = random_.below(4);
    if (kind == 0 && is_away(first)) {
      return try_move(first, static_cast<std::size_t>(graph_.rank[first]));
    }
    if (kind == 1) return try_move(first, random_.below(work_.ranks()));
    return try_swap(first, movable_[random_.below(movable_.size())]);
  }

  bool try_move(ObjectIndex object, std::size_t to) {
    const std::size_t from = rank_of(object);
    if (from == to) return false;
    const double seconds = graph_.seconds[object];
    return decide(from, to, seconds, away_change(object, to)) && (put(object, to), true);
  }

  bool try_swap(ObjectIndex a, ObjectIndex b) {
    const std::size_t rank_a = rank_of(a);
    const std::size_t rank_b = rank_of(b);
    if (rank_a == rank_b) return false;
    return decide(rank_a, rank_b, graph_.seconds[a] - graph_.seconds[b],
                  away_change(a, rank_b) + away_change(b, rank_a)) &&
           (put(a, rank_b), put(b, rank_a), true);
  }

  [[nodiscard]] int away_change(ObjectIndex object, std::size_t to) const {
    const bool will_be_away = to != static_cast<std::size_t>(graph_.rank[object]);
    return static_cast<int>(will_be_away) - static_cast<int>(is_away(object));
  }

  /// Metropolis: a change for the better is accepted, one for the worse with a probability that
  /// falls with temperature.
  bool decide(std::size_t from, std::size_t to, double seconds, int away) {
    const auto over = [](double room) { return std::max(0.0, -room); };
    const double slack_from = work_.slack(from);
    const double slack_to = work_.slack(to);
    const double overload =
        over(slack_from + seconds) + over(slack_to - seconds) - over(slack_from) - over(slack_to);
    const double cost = overload * cost_per_second_ + away;
    if (cost > 0 && random_.unit() >= std::exp(-cost / temperature_)) return false;
    overload_ += overload;
    away_ += away;
    return true;
  }

  void put(ObjectIndex object, std::size_t to) {
    work_.move(graph_.seconds[object], rank_of(object), to);
    placement_[object] = static_cast<std::int32_t>(to);
  }

  const LoadGraph& graph_;
  const std::span<const ObjectIndex> movable_;
  RankWork& work_;
  Placement& placement_;
  core::Random& random_;
  const double cost_per_second_;
  double overload_ = 0;  // seconds over the limit, summed over the ranks
  int away_ = 0;         // objects that are not at home
  double temperature_ = 0;
};

}  // namespace

void anneal(const LoadGraph& graph, std::span<const ObjectIndex> movable, RankWork& work,
            Placement& placement, std::uint64_t steps, core::Random& random) {
  if (movable.empty() || work.ranks() < 2) return;
  Annealer(graph, movable, work, placement, random).run(steps);
}

}  // namespace roam::placement
