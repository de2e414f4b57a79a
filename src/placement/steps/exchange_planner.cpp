// SPDX-License-Identifier: Apache-2.0
#include "exchange_planner.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "../amount.hpp"
#include "exchange_messages.hpp"
#include "roam/core/error.hpp"
#include "size_mix.hpp"

namespace roam::placement {

namespace {

// Seconds of the first leader per group and per pair of groups to plan flows.
constexpr double planning_seconds = 2e-7;
// Plans in which work goes to groups alone with which its own communicates.
constexpr int plans_along_edges = 2;
// The part of the allowed imbalance that groups may be left with: inside, ranks need the rest.
constexpr double part_between_groups = 0.2;
// Groups that share their objects less evenly than others, by this part, exchange large for small
// ones. Chosen: objects that leave their group communicate with it from afar, so that a little more
// work on one rank is better.
constexpr double least_size_difference = 0.05;

}  // namespace

void ExchangePlanner::plan(StepHost& host, Received received) {
  std::vector<GroupWork> works(static_cast<std::size_t>(job_.count()));
  std::vector<QuotientEdge> edges;
  double largest = 0;
  double fastest = 0;
  for (const StepMessage& message : received) {
    core::Unpacker bytes(message.bytes);
    const std::int64_t group = job_.group_of(message.source);
    const auto report = core::unpack<GroupReport>(bytes);
    if (!is_amount(report.work.seconds) || !is_amount(report.work.capacity))
      throw MalformedMessage("impossible work of a group");
    works[static_cast<std::size_t>(group)] = report.work;
    largest = std::max(largest, report.largest);
    fastest = std::max(fastest, report.fastest);
    limit_seconds_ = std::max(limit_seconds_, report.fixed_seconds);
    for (const auto& [other, amount] :
         core::unpack<std::vector<std::pair<std::int64_t, double>>>(bytes)) {
      job_.check(other);
      if (amount > 0 && group < other) edges.push_back(edge(group, other));
    }
  }
  if (fastest > 0) limit_seconds_ = std::max(limit_seconds_, largest / fastest);
  std::vector<SizedFlow> flows;
  for (const Flow& flow : plan_quotient_flows(works, edges,
                                              {.imbalance = part_between_groups * imbalance_,
                                              .may_jump = ++planned_ > plans_along_edges}))
    flows.push_back({flow});
  host.charge(planning_seconds * static_cast<double>(works.size() + edges.size()));
  tell(host, flows);
}

void ExchangePlanner::plan_sizes(StepHost& host, Received received) {
  std::vector<SizeReport> reports(static_cast<std::size_t>(job_.count()));
  for (const StepMessage& message : received) {
    core::Unpacker bytes(message.bytes);
    const auto report = core::unpack<SizeReport>(bytes);
    if (!is_amount(report.reached_seconds) || !std::ranges::all_of(report.work, is_amount))
      throw MalformedMessage("impossible sizes of a group's objects");
    reports[static_cast<std::size_t>(job_.group_of(message.source))] = report;
  }
  SizeMixSettings settings{.limit_seconds = limit_seconds_,
                           .least_difference = least_size_difference};
  if (++mixed_ > 1) settings.neighbours = 0;
  host.charge(planning_seconds * static_cast<double>(reports.size()));
  tell(host, plan_size_mix(reports, settings));
}

/// Tells each leader the flows from its group. They are sorted by `from`.
void ExchangePlanner::tell(StepHost& host, std::span<const SizedFlow> flows) const {
  auto first = flows.begin();
  for (std::int32_t g = 0; g < job_.count(); ++g) {
    const auto end = std::find_if(first, flows.end(), [g](const Flow& f) { return f.from != g; });
    send_to(host, job_.leader_of(g), ExchangePlan{limit_seconds_},
            std::vector<SizedFlow>(first, end));
    first = end;
  }
}

QuotientEdge ExchangePlanner::edge(std::int64_t a, std::int64_t b) const {
  return {static_cast<std::int32_t>(a), static_cast<std::int32_t>(b),
          1 + static_cast<double>(job_.level_between(a, b))};
}

}  // namespace roam::placement
