// SPDX-License-Identifier: Apache-2.0
#include "coarsen.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace roam::topology {

namespace {

/// Objects in random order, but those with fewer neighbours first.
std::vector<std::uint32_t> visiting_order(const CommunicationGraph& graph, core::Random& random) {
  constexpr std::size_t classes = 8;
  const auto class_of = [&](std::uint32_t object) {
    return std::min(graph.of(object).size() / 3, classes - 1);
  };
  std::vector<std::uint32_t> order(graph.size());
  std::vector<std::size_t> begin(classes + 1);
  for (std::uint32_t v = 0; v < graph.size(); ++v) ++begin[class_of(v) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
  for (std::uint32_t v = 0; v < graph.size(); ++v) order[next[class_of(v)]++] = v;
  for (std::size_t c = 0; c < classes; ++c) {
    for (std::size_t i = begin[c + 1]; i > begin[c] + 1; --i) {
      std::swap(order[i - 1], order[begin[c] + random.below(i - begin[c])]);
    }
  }
  return order;
}

Clusters number(std::vector<std::uint32_t> leader) {
  Clusters clusters;
  std::vector<std::uint32_t> name(leader.size(), static_cast<std::uint32_t>(leader.size()));
  for (std::uint32_t& of : leader) {
    if (name[of] == leader.size()) name[of] = clusters.count++;
    of = name[of];
  }
  clusters.of = std::move(leader);
  return clusters;
}

}  // namespace

Clusters cluster(const CommunicationGraph& graph, double cap, core::Random& random,
                 std::span<const std::uint32_t> parts) {
  const std::uint32_t size = graph.size();
  std::vector<std::uint32_t> leader(size);
  std::iota(leader.begin(), leader.end(), 0U);
  std::vector<double> load(graph.loads().begin(), graph.loads().end());
  std::vector<bool> is_single(size, true);
  std::vector<double> communication(size, 0.0);
  std::vector<std::uint32_t> touched;
  // Prevents objects without load from being infinitely attractive.
  const double least = 1e-3 * graph.total_load() / std::max(1.0, static_cast<double>(size));
  for (const std::uint32_t v : visiting_order(graph, random)) {
    if (!is_single[v]) continue;
    touched.clear();
    for (const auto& [u, amount] : graph.of(v)) {
      if (!parts.empty() && parts[u] != parts[v]) continue;
      const std::uint32_t c = leader[u];
      if (communication[c] == 0) touched.push_back(c);
      communication[c] += amount;
    }
    std::uint32_t best = v;
    double best_rating = 0;
    for (const std::uint32_t c : touched) {
      const double amount = std::exchange(communication[c], 0.0);
      if (load[c] + load[v] > cap) continue;
      const double rating = amount * amount / (load[c] + least);
      if (rating > best_rating) {
        best_rating = rating;
        best = c;
      }
    }
    if (best == v) continue;
    leader[v] = best;
    load[best] += load[v];
    is_single[v] = false;
    is_single[best] = false;
  }
  return number(std::move(leader));
}

Clusters absorb_satellites(const CommunicationGraph& graph, double cap, core::Random& random) {
  constexpr std::size_t most_neighbours = 2;
  constexpr std::size_t hub_neighbours = 8;
  std::vector<std::uint32_t> leader(graph.size());
  std::iota(leader.begin(), leader.end(), 0U);
  std::vector<double> load(graph.loads().begin(), graph.loads().end());
  for (const std::uint32_t v : visiting_order(graph, random)) {
    const auto neighbours = graph.of(v);
    if (neighbours.empty() || neighbours.size() > most_neighbours) continue;
    std::uint32_t best = v;
    double most = 0;
    for (const auto& [u, amount] : neighbours) {
      if (graph.of(u).size() < hub_neighbours || load[u] + load[v] > 1.5 * cap) continue;
      if (best == v || amount > most || (amount == most && load[u] < load[best])) {
        best = u;
        most = amount;
      }
    }
    leader[v] = best;
    if (best != v) load[best] += load[v];
  }
  // Hubs that got more than others give away satellites for which the other hub is as good. An
  // overloaded hub also gives one to a hub with which it then merely changes places: so the surplus
  // moves on until it meets a hub with too little.
  for (int sweep = 0; sweep < 24; ++sweep) {
    for (std::uint32_t v = 0; v < graph.size(); ++v) {
      const auto neighbours = graph.of(v);
      if (leader[v] == v || neighbours.size() < 2) continue;
      const auto& [a, b] = std::pair(neighbours[0], neighbours[1]);
      if (a.amount != b.amount || graph.of(a.object).size() < hub_neighbours ||
          graph.of(b.object).size() < hub_neighbours) {
        continue;
      }
      const std::uint32_t other = leader[v] == a.object ? b.object : a.object;
      const double difference = load[leader[v]] - load[other];
      const bool wanders = load[leader[v]] > cap && difference == graph.load(v);
      if (difference <= graph.load(v) && !wanders) continue;
      load[leader[v]] -= graph.load(v);
      load[other] += graph.load(v);
      leader[v] = other;
    }
  }
  return number(std::move(leader));
}

CommunicationGraph contract(const CommunicationGraph& graph, const Clusters& clusters) {
  std::vector<std::size_t> first(clusters.count + std::size_t{1});
  for (const std::uint32_t c : clusters.of) ++first[c + std::size_t{1}];
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<std::uint32_t> members(graph.size());
  std::vector<std::size_t> next(first.begin(), first.end() - 1);
  for (std::uint32_t v = 0; v < graph.size(); ++v) members[next[clusters.of[v]]++] = v;

  std::vector<std::size_t> begin{0};
  begin.reserve(first.size());
  std::vector<CommunicationGraph::Neighbour> rows;
  rows.reserve(graph.entries() / 2);
  std::vector<double> loads(clusters.count, 0.0);
  constexpr auto nowhere = static_cast<std::size_t>(-1);
  std::vector<std::size_t> place(clusters.count, nowhere);
  for (std::uint32_t c = 0; c < clusters.count; ++c) {
    const std::size_t row = rows.size();
    for (std::size_t i = first[c]; i < first[c + 1]; ++i) {
      loads[c] += graph.load(members[i]);
      for (const auto& [u, amount] : graph.of(members[i])) {
        const std::uint32_t other = clusters.of[u];
        if (other == c) continue;
        std::size_t& at = place[other];
        if (at == nowhere || at < row) {
          at = rows.size();
          rows.push_back({other, amount});
        } else {
          rows[at].amount += amount;
        }
      }
    }
    begin.push_back(rows.size());
  }
  return CommunicationGraph::from_rows(std::move(begin), std::move(rows), std::move(loads));
}

}  // namespace roam::topology
