// SPDX-License-Identifier: Apache-2.0
#include "size_mix.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include "../strategies/rank_work.hpp"
#include "../strategies/ranks_by_slack.hpp"

namespace roam::placement {

namespace {

// Of the tree of groups in which the nearest exchange objects first, see plan_flows().
constexpr std::int32_t mix_arity = 2;
// The capacity grows by this part until all objects fit, and is then halved in so many times.
constexpr double growth = 0.08;
constexpr int halvings = 4;
// Sums of the same objects in another order differ by less than this part.
constexpr double rounding = 1e-9;

std::size_t class_of(double seconds, double limit_seconds) {
  std::size_t k = 0;
  while (k + 1 < size_classes && seconds <= largest_of_class(k + 1, limit_seconds)) ++k;
  return k;
}

/// True if all objects fit on the ranks, each in its time. `seconds` decrease.
bool all_fit(std::span<const double> seconds, const std::vector<double>& fixed_seconds,
             const Machine& machine, double capacity_seconds) {
  RankWork work(fixed_seconds, machine);
  work.set_limit(capacity_seconds);
  RanksBySlack ranks(work, false);
  return std::ranges::all_of(seconds, [&](double one) {
    const std::size_t rank = ranks.closest(one);
    if (rank == RanksBySlack::none) return false;
    ranks.take_out(rank);
    work.add(one, rank);
    ranks.put_back(rank);
    return true;
  });
}

double total(const SizeReport& report) {
  return std::accumulate(report.work.begin(), report.work.end(), 0.0);
}

/// Adds the exchanges between some consecutive groups, of which the first has number `first`.
void mix(std::span<const SizeReport> reports, std::size_t first, double limit_seconds,
         std::vector<SizedFlow>& flows) {
  for (std::size_t k = 0; k < size_classes; ++k) {
    std::vector<GroupWork> works;
    double seconds = 0;
    for (const SizeReport& report : reports) {
      works.push_back({report.work[k], total(report)});
      seconds += report.work[k];
    }
    if (!(seconds > 0)) continue;
    const double least = k + 1 < size_classes ? largest_of_class(k + 1, limit_seconds) : 0;
    const double most = k > 0 ? largest_of_class(k, limit_seconds) : SizedFlow{}.most_object;
    const auto offset = static_cast<std::int32_t>(first);
    for (const Flow& flow : plan_flows(works, mix_arity, 0)) {
      flows.push_back(
          {{flow.from + offset, flow.to + offset, flow.seconds * (1 + rounding)}, least, most});
    }
  }
}

}  // namespace

double largest_of_class(std::size_t size_class, double limit_seconds) {
  return limit_seconds * std::exp2(-0.5 * static_cast<double>(size_class));
}

SizeReport size_report(std::vector<double> seconds, const std::vector<double>& fixed_seconds,
                       const Machine& machine, double limit_seconds) {
  SizeReport report;
  std::erase_if(seconds, [](double one) { return !(one > 0); });
  std::ranges::sort(seconds, std::ranges::greater{});
  for (const double one : seconds) report.work[class_of(one, limit_seconds)] += one;
  const auto fit = [&](double capacity) {
    return all_fit(seconds, fixed_seconds, machine, capacity);
  };
  report.reached_seconds = limit_seconds;
  if (!(limit_seconds > 0) || fit(limit_seconds)) return report;
  double low = limit_seconds;
  double high = low * (1 + growth);
  while (!fit(high)) {
    low = high;
    high *= 1 + growth;
  }
  for (int i = 0; i < halvings; ++i) {
    const double middle = low + (high - low) / 2;
    (fit(middle) ? high : low) = middle;
  }
  report.reached_seconds = high;
  return report;
}

std::vector<SizedFlow> plan_size_mix(std::span<const SizeReport> reports,
                                     const SizeMixSettings& settings) {
  std::vector<SizedFlow> flows;
  const std::size_t together = settings.neighbours == 0 ? reports.size() : settings.neighbours;
  for (std::size_t first = 0; first < reports.size(); first += together) {
    const auto some = reports.subspan(first, std::min(together, reports.size() - first));
    const auto [best, worst] = std::ranges::minmax(some, {}, &SizeReport::reached_seconds);
    if (worst.reached_seconds > best.reached_seconds * (1 + settings.least_difference))
      mix(some, first, settings.limit_seconds, flows);
  }
  std::ranges::stable_sort(flows, {},
                           [](const SizedFlow& flow) { return std::pair(flow.from, flow.to); });
  return flows;
}

}  // namespace roam::placement
