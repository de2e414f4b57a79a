// SPDX-License-Identifier: Apache-2.0
#include "roam/topology/detail/mapping/communication_graph.hpp"

#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "roam/core/error.hpp"

namespace roam::topology {

namespace {

void check(std::uint32_t objects, std::span<const Communication> communications,
           std::span<const double> loads) {
  if (loads.size() != objects) {
    throw Error("communication graph: " + std::to_string(loads.size()) + " loads for " +
                std::to_string(objects) + " objects");
  }
  for (const double load : loads) {
    if (!(load >= 0) || !std::isfinite(load)) {
      throw Error("communication graph: a load is " + std::to_string(load) +
                  "; it must be 0 or more");
    }
  }
  for (const Communication& pair : communications) {
    if (pair.a >= objects || pair.b >= objects) {
      throw Error("communication graph: objects " + std::to_string(pair.a) + " and " +
                  std::to_string(pair.b) + " communicate, and there are " +
                  std::to_string(objects));
    }
    if (!(pair.amount >= 0) || !std::isfinite(pair.amount)) {
      throw Error("communication graph: an amount is " + std::to_string(pair.amount) +
                  "; it must be 0 or more");
    }
  }
}

/// Adds up entries of one pair within each row.
void merge_rows(std::vector<std::size_t>& begin, std::vector<CommunicationGraph::Neighbour>& rows) {
  constexpr auto nowhere = static_cast<std::size_t>(-1);
  std::vector<std::size_t> place(begin.size(), nowhere);
  std::size_t kept = 0;
  for (std::size_t row = 0; row + 1 < begin.size(); ++row) {
    const std::size_t first = kept;
    const std::size_t row_begin = std::exchange(begin[row], kept);
    for (std::size_t i = row_begin; i < begin[row + 1]; ++i) {
      std::size_t& at = place[rows[i].object];
      if (at == nowhere || at < first || at >= kept) {
        at = kept;
        rows[kept++] = rows[i];
      } else {
        rows[at].amount += rows[i].amount;
      }
    }
    // A place found in an earlier row is below `first`, so nothing needs to be reset.
  }
  begin.back() = kept;
  rows.resize(kept);
}

}  // namespace

CommunicationGraph::CommunicationGraph(std::uint32_t objects,
                                       std::span<const Communication> communications,
                                       std::vector<double> loads)
    : begin_(objects + std::size_t{1}), loads_(std::move(loads)) {
  if (loads_.empty()) loads_.assign(objects, 1.0);
  check(objects, communications, loads_);
  const auto counts = [](const Communication& pair) { return pair.a != pair.b && pair.amount > 0; };
  for (const Communication& pair : communications) {
    if (!counts(pair)) continue;
    ++begin_[pair.a + std::size_t{1}];
    ++begin_[pair.b + std::size_t{1}];
  }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  neighbours_.resize(begin_.back());
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  for (const Communication& pair : communications) {
    if (!counts(pair)) continue;
    neighbours_[next[pair.a]++] = {pair.b, pair.amount};
    neighbours_[next[pair.b]++] = {pair.a, pair.amount};
  }
  merge_rows(begin_, neighbours_);
  total_load_ = std::accumulate(loads_.begin(), loads_.end(), 0.0);
}

CommunicationGraph CommunicationGraph::from_rows(std::vector<std::size_t> begin,
                                                 std::vector<Neighbour> neighbours,
                                                 std::vector<double> loads) {
  CommunicationGraph graph;
  graph.begin_ = std::move(begin);
  graph.neighbours_ = std::move(neighbours);
  graph.loads_ = std::move(loads);
  graph.total_load_ = std::accumulate(graph.loads_.begin(), graph.loads_.end(), 0.0);
  return graph;
}

}  // namespace roam::topology
