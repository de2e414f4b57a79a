// SPDX-License-Identifier: Apache-2.0
#include "roam/balance/load_graph.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "roam/core/error.hpp"

namespace roam::balance {

namespace {

[[noreturn]] void misfit(const std::string& text) { throw Error("load graph: " + text); }

bool is_amount(double value) { return std::isfinite(value) && value >= 0; }

void check_length(std::size_t length, std::size_t wanted, const char* what, bool may_be_empty) {
  if (length == wanted || (may_be_empty && length == 0)) return;
  misfit(std::string(what) + " has " + std::to_string(length) + " entries, expected are " +
         std::to_string(wanted));
}

std::vector<double> rank_seconds(const LoadGraph& graph, const Machine& machine,
                                 const Placement& placement) {
  std::vector<double> work(static_cast<std::size_t>(machine.ranks));
  for (std::size_t r = 0; r < work.size(); ++r) work[r] = graph.background(r);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    work[static_cast<std::size_t>(placement[i])] += graph.seconds[i];
  }
  for (std::size_t r = 0; r < work.size(); ++r) work[r] /= capacity(machine, r);
  return work;
}

double mean_seconds(const LoadGraph& graph, const Machine& machine) {
  double work = 0;
  double done_per_second = 0;
  for (std::size_t r = 0; r < static_cast<std::size_t>(machine.ranks); ++r) {
    work += graph.background(r);
    done_per_second += capacity(machine, r);
  }
  work = std::accumulate(graph.seconds.begin(), graph.seconds.end(), work);
  return work / done_per_second;
}

}  // namespace

void check(const LoadGraph& graph, const Machine& machine) {
  const std::size_t objects = graph.size();
  const auto ranks = static_cast<std::size_t>(machine.ranks);
  if (objects > UINT32_MAX) misfit("more than 2^32 objects");
  check_length(graph.rank.size(), objects, "rank", false);
  check_length(graph.bytes.size(), objects, "bytes", true);
  check_length(graph.pinned.size(), objects, "pinned", true);
  check_length(graph.coordinates.size(), objects, "coordinates", true);
  check_length(graph.background_seconds.size(), ranks, "background_seconds", true);
  for (std::size_t i = 0; i < objects; ++i) {
    if (!is_amount(graph.seconds[i])) misfit("seconds of object " + std::to_string(i));
    if (graph.rank[i] < 0 || graph.rank[i] >= machine.ranks) {
      misfit("object " + std::to_string(i) + " is on rank " + std::to_string(graph.rank[i]) +
             ", the machine has ranks 0 to " + std::to_string(machine.ranks - 1));
    }
  }
  if (!std::ranges::all_of(graph.background_seconds, is_amount)) misfit("background_seconds");
  for (const auto& place : graph.coordinates) {
    if (!std::ranges::all_of(place, [](double x) { return std::isfinite(x); })) {
      misfit("coordinates");
    }
  }
  for (const Link& link : graph.links) {
    if (link.a >= objects || link.b >= objects) misfit("a link to an object that is not there");
    if (!is_amount(link.bytes) || !is_amount(link.messages)) misfit("bytes of a link");
  }
}

void check(const Placement& placement, const LoadGraph& graph, const Machine& machine) {
  if (placement.size() != graph.size()) {
    throw Error("placement: " + std::to_string(placement.size()) + " objects placed, there are " +
                std::to_string(graph.size()));
  }
  for (std::size_t i = 0; i < placement.size(); ++i) {
    if (placement[i] < 0 || placement[i] >= machine.ranks) {
      throw Error("placement: object " + std::to_string(i) + " on rank " +
                  std::to_string(placement[i]) + ", the machine has ranks 0 to " +
                  std::to_string(machine.ranks - 1));
    }
    if (graph.is_pinned(i) && placement[i] != graph.rank[i]) {
      throw Error("placement: object " + std::to_string(i) + " is pinned to rank " +
                  std::to_string(graph.rank[i]) + " and was placed on rank " +
                  std::to_string(placement[i]));
    }
  }
}

std::vector<double> capacities(const Machine& machine) {
  std::vector<double> result(static_cast<std::size_t>(machine.ranks));
  for (std::size_t r = 0; r < result.size(); ++r) result[r] = capacity(machine, r);
  return result;
}

double lower_bound_seconds(const LoadGraph& graph, const Machine& machine) {
  const double fastest = *std::ranges::max_element(machine.speeds);
  std::vector<double> fixed(static_cast<std::size_t>(machine.ranks));
  for (std::size_t r = 0; r < fixed.size(); ++r) fixed[r] = graph.background(r);
  double bound = mean_seconds(graph, machine);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (graph.is_pinned(i)) fixed[static_cast<std::size_t>(graph.rank[i])] += graph.seconds[i];
    // An even share of a rank's workers is the measure of a rank's time; a single object cannot do
    // better than that either.
    bound = std::max(bound, graph.seconds[i] / (fastest * machine.workers_per_rank));
  }
  for (std::size_t r = 0; r < fixed.size(); ++r) {
    bound = std::max(bound, fixed[r] / capacity(machine, r));
  }
  return bound;
}

Quality assess(const LoadGraph& graph, const Machine& machine, const Placement& placement) {
  Quality quality;
  const std::vector<double> times = rank_seconds(graph, machine, placement);
  quality.max_seconds = *std::ranges::max_element(times);
  quality.mean_seconds = mean_seconds(graph, machine);
  quality.imbalance = quality.mean_seconds > 0 ? quality.max_seconds / quality.mean_seconds - 1 : 0;
  quality.bound_seconds = lower_bound_seconds(graph, machine);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (placement[i] == graph.rank[i]) continue;
    ++quality.moved_objects;
    if (!graph.bytes.empty()) quality.moved_bytes += graph.bytes[i];
  }
  for (const Link& link : graph.links) {
    if (placement[link.a] != placement[link.b]) quality.remote_bytes += link.bytes;
  }
  return quality;
}

}  // namespace roam::balance
