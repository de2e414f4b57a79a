// SPDX-License-Identifier: Apache-2.0
#include "topology/mapping/exact_parts.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "exchange_search.hpp"
#include "leaf_index.hpp"
#include "multisection.hpp"
#include "refine.hpp"
#include "roam/core/error.hpp"

namespace roam::topology {

namespace {

constexpr std::uint32_t few_objects = 12;
constexpr std::uint32_t most_for_exchanges = 512;
constexpr std::uint32_t most_for_cycles = 256;

void check(const CommunicationGraph& graph, std::span<const std::uint32_t> sizes) {
  const auto sum = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
  if (sum != graph.size()) {
    throw Error("exact parts: sizes add up to " + std::to_string(sum) + ", and there are " +
                std::to_string(graph.size()) + " objects");
  }
}

/// The parts as leaves that are equally far from each other, and all objects with equal loads.
struct Flat {
  LeafIndex index;
  CommunicationGraph graph;
  std::vector<double> limits;

  Flat(const CommunicationGraph& original, std::span<const std::uint32_t> sizes)
      : index(flat_tree(sizes.size())), limits(sizes.begin(), sizes.end()) {
    std::vector<std::size_t> begin{0};
    std::vector<CommunicationGraph::Neighbour> rows;
    for (std::uint32_t v = 0; v < original.size(); ++v) {
      const auto neighbours = original.of(v);
      rows.insert(rows.end(), neighbours.begin(), neighbours.end());
      begin.push_back(rows.size());
    }
    graph = CommunicationGraph::from_rows(std::move(begin), std::move(rows),
                                          std::vector<double>(original.size(), 1.0));
  }

  static MachineTree flat_tree(std::size_t leaves) {
    return MachineTree(
        {.levels = {{"all", 1.0}, {"part"}}, .parents = {std::vector<std::int32_t>(leaves, 0)}});
  }
};

std::vector<std::uint32_t> make_exact(const Flat& flat, std::vector<std::uint32_t> parts,
                                      core::Random& random) {
  MapState state(flat.graph, flat.index, flat.limits, std::move(parts));
  unload(state);
  // After one refinement has gained something, the others may gain again in the next round. The
  // loop ends because costs only fall.
  for (int round = 0; round < 20; ++round) {
    double gained = swap_objects(state, random);
    if (gained <= state.epsilon() && flat.index.leaves() <= most_for_cycles) {
      gained = turn_cycles(state);
    }
    if (gained <= state.epsilon()) break;
  }
  return state.places();
}

/// Tries all ways to cut a small graph, as long as they may be better than the best one known.
class AllWays {
 public:
  AllWays(const CommunicationGraph& graph, std::span<const std::uint32_t> sizes,
          std::vector<std::uint32_t> known)
      : graph_(graph),
        sizes_(sizes),
        capacity_left_(sizes.begin(), sizes.end()),
        part_(graph.size()),
        best_(std::move(known)),
        least_(cut_of(graph, best_)) {}

  std::vector<std::uint32_t> run() {
    place(0, 0);
    return std::move(best_);
  }

 private:
  void place(std::uint32_t v, double cut) {
    if (cut >= least_) return;
    if (v == graph_.size()) {
      least_ = cut;
      best_ = part_;
      return;
    }
    for (std::uint32_t p = 0; p < capacity_left_.size(); ++p) {
      if (capacity_left_[p] == 0 || is_like_an_earlier_one(p)) continue;
      double more = 0;
      for (const auto& [u, amount] : graph_.of(v)) {
        if (u < v && part_[u] != p) more += amount;
      }
      --capacity_left_[p];
      part_[v] = p;
      place(v + 1, cut + more);
      ++capacity_left_[p];
    }
  }

  /// Among empty parts of one size, only the first needs to be tried.
  [[nodiscard]] bool is_like_an_earlier_one(std::uint32_t p) const {
    if (capacity_left_[p] != sizes_[p]) return false;
    for (std::uint32_t q = 0; q < p; ++q) {
      if (sizes_[q] == sizes_[p] && capacity_left_[q] == sizes_[q]) return true;
    }
    return false;
  }

  const CommunicationGraph& graph_;
  const std::span<const std::uint32_t> sizes_;
  std::vector<std::uint32_t> capacity_left_;
  std::vector<std::uint32_t> part_;
  std::vector<std::uint32_t> best_;
  double least_;
};

void exchange(const CommunicationGraph& graph, std::span<const std::uint32_t> sizes,
              std::uint64_t exchanges, core::Random& random, std::vector<std::uint32_t>& parts) {
  const std::size_t size = graph.size();
  std::vector<std::uint32_t> part_of;
  for (std::uint32_t p = 0; p < sizes.size(); ++p) part_of.insert(part_of.end(), sizes[p], p);
  std::vector<double> distances(size * size);
  for (std::size_t a = 0; a < size; ++a) {
    for (std::size_t b = 0; b < size; ++b) distances[a * size + b] = part_of[a] != part_of[b];
  }
  std::vector<std::uint32_t> next(sizes.size());
  std::exclusive_scan(sizes.begin(), sizes.end(), next.begin(), 0U);
  std::vector<std::uint32_t> place(size);
  for (std::uint32_t v = 0; v < size; ++v) place[v] = next[parts[v]]++;
  exchange_objects({&graph, distances}, exchanges, random, place);
  for (std::uint32_t v = 0; v < size; ++v) parts[v] = part_of[place[v]];
}

}  // namespace

std::vector<std::uint32_t> make_exact(const CommunicationGraph& graph,
                                      std::span<const std::uint32_t> sizes,
                                      std::vector<std::uint32_t> parts, std::uint64_t seed) {
  check(graph, sizes);
  if (parts.size() != graph.size() ||
      std::ranges::any_of(parts, [&](std::uint32_t p) { return p >= sizes.size(); })) {
    throw Error("exact parts: the partition does not fit the graph and the sizes");
  }
  if (graph.size() == 0) return parts;
  core::Random random(seed);
  return make_exact(Flat(graph, sizes), std::move(parts), random);
}

std::vector<std::uint32_t> exact_parts(const CommunicationGraph& graph,
                                       std::span<const std::uint32_t> sizes,
                                       const ExactPartsOptions& options) {
  check(graph, sizes);
  if (graph.size() == 0) return {};
  const Flat flat(graph, sizes);
  core::Random random(options.seed);
  std::vector<std::uint32_t> parts =
      make_exact(flat, multisection(flat.graph, flat.index, flat.limits, 4, random), random);
  if (graph.size() <= few_objects) return AllWays(graph, sizes, std::move(parts)).run();
  if (graph.size() <= most_for_exchanges && options.exchanges > 0) {
    exchange(graph, sizes, options.exchanges, random, parts);
  }
  return parts;
}

double cut_of(const CommunicationGraph& graph, std::span<const std::uint32_t> parts) {
  double twice = 0;
  for (std::uint32_t v = 0; v < graph.size(); ++v) {
    for (const auto& [u, amount] : graph.of(v)) {
      if (parts[u] != parts[v]) twice += amount;
    }
  }
  return twice / 2;
}

}  // namespace roam::topology
