// SPDX-License-Identifier: Apache-2.0
#include "roam/placement/load_graph.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "amount.hpp"
#include "rank_seconds.hpp"
#include "roam/core/error.hpp"

namespace roam::placement {

namespace {

[[noreturn]] void misfit(const std::string& text) { throw Error("load graph: " + text); }

void check_length(std::size_t length, std::size_t wanted, const char* what, bool may_be_empty) {
  if (length == wanted || (may_be_empty && length == 0)) return;
  misfit(std::string(what) + " has " + std::to_string(length) + " entries, expected are " +
         std::to_string(wanted));
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

// Upper limit of all loads: strategies multiply sums of loads by limits of up to 1e6.
constexpr double most_seconds = 1e302;

void check_sum(const LoadGraph& graph, const Machine& machine) {
  const auto& background = graph.background_seconds;
  const double work = std::accumulate(background.begin(), background.end(), 0.0);
  const double sum = std::accumulate(graph.seconds.begin(), graph.seconds.end(), work);
  const double slowest = *std::ranges::min_element(machine.speeds);
  if (sum > most_seconds || sum / slowest > most_seconds) {
    misfit("the loads of all objects add up to more than 1e302 s");
  }
}

void check_memory(const MemoryNeeds& memory, std::size_t objects, std::size_t ranks) {
  if (!memory.is_known()) return;
  check_length(memory.object_bytes.size(), objects, "memory.object_bytes", false);
  check_length(memory.working_bytes.size(), objects, "memory.working_bytes", false);
  check_length(memory.block.size(), objects, "memory.block", false);
  check_length(memory.rank_bytes.size(), ranks, "memory.rank_bytes", false);
  for (const auto* bytes :
       {&memory.object_bytes, &memory.working_bytes, &memory.block_bytes, &memory.rank_bytes}) {
    if (!std::ranges::all_of(*bytes, is_amount)) misfit("bytes of memory");
  }
  const auto exists = [&](std::uint32_t block) {
    return block == MemoryNeeds::no_block || block < memory.block_bytes.size();
  };
  if (!std::ranges::all_of(memory.block, exists)) misfit("a shared block that is not there");
  if (std::isnan(memory.limit_bytes) || memory.limit_bytes < 0) misfit("memory.limit_bytes");
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
  check_sum(graph, machine);
  check_memory(graph.memory, objects, ranks);
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
    // The time of a rank is that of its workers sharing its work evenly, so a single object is also
    // counted as shared by all workers of its rank.
    bound = std::max(bound, graph.seconds[i] / (fastest * machine.workers_per_rank));
  }
  for (std::size_t r = 0; r < fixed.size(); ++r) {
    bound = std::max(bound, fixed[r] / capacity(machine, r));
  }
  return bound;
}

std::vector<double> memory_bytes(const LoadGraph& graph, const Machine& machine,
                                 const Placement& placement) {
  const MemoryNeeds& memory = graph.memory;
  if (!memory.is_known()) return {};
  std::vector<double> bytes = memory.rank_bytes;
  std::vector<double> working(static_cast<std::size_t>(machine.ranks));
  std::vector<std::pair<std::int32_t, std::uint32_t>> blocks;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const auto rank = static_cast<std::size_t>(placement[i]);
    bytes[rank] += memory.object_bytes[i];
    working[rank] = std::max(working[rank], memory.working_bytes[i]);
    if (memory.block[i] != MemoryNeeds::no_block)
      blocks.emplace_back(placement[i], memory.block[i]);
  }
  std::ranges::sort(blocks);
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  for (const auto& [rank, block] : blocks) {
    bytes[static_cast<std::size_t>(rank)] += memory.block_bytes[block];
  }
  for (std::size_t r = 0; r < bytes.size(); ++r) bytes[r] += working[r];
  return bytes;
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
  const std::vector<double> memory = memory_bytes(graph, machine, placement);
  if (!memory.empty()) quality.max_memory_bytes = *std::ranges::max_element(memory);
  return quality;
}

}  // namespace roam::placement
