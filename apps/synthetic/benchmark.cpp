// SPDX-License-Identifier: Apache-2.0
#include "benchmark.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "report.hpp"

namespace synthetic {

namespace detail {

/// Counts finished objects. Stays on rank 0, since its calls announce no work.
struct Tally {
  std::uint64_t done = 0;
  double checksum = 0;
  void object_done(double result) {
    ++done;
    checksum += result;
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(done, checksum);
  }
};

/// A mobile object with work to do.
struct Piece {
  std::vector<std::uint8_t> data;
  void work(double seconds, bool arithmetic, roam::mobile_ptr<Tally> tally);
  template <class Archive>
  void serialize(Archive& archive) {
    archive(data);
  }
};

// This many dependent multiply-adds take about a second on a current core.
constexpr double steps_per_second = 4e8;

double arithmetic_work(double seconds) {
  double x = 0.5;
  for (auto steps = static_cast<std::uint64_t>(seconds * steps_per_second); steps > 0; --steps) {
    x = 3.7 * x * (1 - x);  // the logistic map: no shortcut
  }
  return x;
}

void Piece::work(double seconds, bool arithmetic, roam::mobile_ptr<Tally> tally) {
  double result = 1;
  if (arithmetic) {
    result = arithmetic_work(seconds);
  } else {
    roam::here().compute(roam::from_seconds(seconds));
  }
  tally.send_with<&Tally::object_done>({.priority = roam::Priority::high, .cost_seconds = 0},
                                       result);
}

struct Plan {
  roam::mobile_ptr<Piece> piece;
  double seconds;
  double weight = 1;
};

std::vector<Plan> create_recorded_pieces(roam::Runtime& rt, const std::vector<Cost>& costs) {
  std::vector<Plan> plans;
  for (const Cost& cost : costs) {
    const auto piece = rt.create<Piece>(std::vector<std::uint8_t>(cost.bytes));
    plans.push_back({piece, cost.seconds, cost.weight});
  }
  return plans;
}

roam::CallOptions announcement(const Plan& plan, Announced announced) {
  switch (announced) {
    case Announced::seconds:
      return {.cost_seconds = plan.seconds};
    case Announced::weight:
      return {.weight = plan.weight};
    case Announced::nothing:
      break;
  }
  return {};
}

// Heavy objects come first, so that placement in blocks puts them on the first ranks.
std::vector<Plan> create_pieces(roam::Runtime& rt, const Settings& settings, std::int64_t count) {
  std::vector<Plan> plans;
  roam::core::Random random(settings.seed);
  const auto heavy = std::llround(settings.heavy_fraction * static_cast<double>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    const double variation = 1 + settings.spread * (2 * random.unit() - 1);
    const double seconds = settings.light_seconds * (i < heavy ? settings.factor : 1) * variation;
    plans.push_back({rt.create<Piece>(std::vector<std::uint8_t>(settings.object_bytes)), seconds});
  }
  return plans;
}

}  // namespace detail

using namespace detail;

roam::Task<> benchmark(roam::Runtime& rt, const Settings& settings) {
  const std::int64_t count = settings.costs.empty()
                                 ? settings.objects_per_worker * rt.workers() * rt.size()
                                 : static_cast<std::int64_t>(settings.costs.size());
  std::vector<Plan> plans;
  roam::mobile_ptr<Tally> tally;
  if (rt.rank() == 0) {
    tally = rt.create<Tally>();
    plans = settings.costs.empty() ? create_pieces(rt, settings, count)
                                   : create_recorded_pieces(rt, settings.costs);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t owner = i * rt.size() / count;
      plans[static_cast<std::size_t>(i)].piece.migrate(
          roam::Rank(static_cast<std::int32_t>(owner)));
    }
  }
  co_await rt.quiescence();  // the objects are dispersed
  rt.begin_measurement();
  co_await rt.quiescence();  // all ranks measure
  double total_seconds = 0;
  for (const Plan& plan : plans) {
    total_seconds += plan.seconds;
    plan.piece.send_with<&Piece::work>(announcement(plan, settings.announced), plan.seconds,
                                       settings.work == Work::arithmetic, tally);
  }
  co_await rt.quiescence();
  rt.end_measurement();
  const auto statistics = co_await rt.gather_statistics();
  if (rt.rank() != 0) co_return;
  const double ratio = print_report({count, total_seconds, rt.options().balancer.name}, statistics);
  if (settings.most_ratio > 0 && ratio > settings.most_ratio) {
    throw roam::Error("the makespan is " + std::to_string(ratio) +
                      " times the mean load, more than " + std::to_string(settings.most_ratio));
  }
}

}  // namespace synthetic
