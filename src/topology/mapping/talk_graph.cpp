// SPDX-License-Identifier: Apache-2.0
#include "roam/topology/detail/mapping/talk_graph.hpp"

#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "roam/core/error.hpp"

namespace roam::topology {

namespace {

void check(std::uint32_t objects, std::span<const Talk> talks, std::span<const double> loads) {
  if (loads.size() != objects) {
    throw Error("talk graph: " + std::to_string(loads.size()) + " loads for " +
                std::to_string(objects) + " objects");
  }
  for (const double load : loads) {
    if (!(load >= 0) || !std::isfinite(load)) {
      throw Error("talk graph: a load is " + std::to_string(load) + "; it must be 0 or more");
    }
  }
  for (const Talk& talk : talks) {
    if (talk.a >= objects || talk.b >= objects) {
      throw Error("talk graph: objects " + std::to_string(talk.a) + " and " +
                  std::to_string(talk.b) + " talk, and there are " + std::to_string(objects));
    }
    if (!(talk.amount >= 0) || !std::isfinite(talk.amount)) {
      throw Error("talk graph: an amount is " + std::to_string(talk.amount) +
                  "; it must be 0 or more");
    }
  }
}

/// Adds up entries of one pair within each row.
void merge_rows(std::vector<std::size_t>& begin, std::vector<TalkGraph::Neighbour>& rows) {
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

TalkGraph::TalkGraph(std::uint32_t objects, std::span<const Talk> talks, std::vector<double> loads)
    : begin_(objects + std::size_t{1}), loads_(std::move(loads)) {
  if (loads_.empty()) loads_.assign(objects, 1.0);
  check(objects, talks, loads_);
  const auto counts = [](const Talk& talk) { return talk.a != talk.b && talk.amount > 0; };
  for (const Talk& talk : talks) {
    if (!counts(talk)) continue;
    ++begin_[talk.a + std::size_t{1}];
    ++begin_[talk.b + std::size_t{1}];
  }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  neighbours_.resize(begin_.back());
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  for (const Talk& talk : talks) {
    if (!counts(talk)) continue;
    neighbours_[next[talk.a]++] = {talk.b, talk.amount};
    neighbours_[next[talk.b]++] = {talk.a, talk.amount};
  }
  merge_rows(begin_, neighbours_);
  total_load_ = std::accumulate(loads_.begin(), loads_.end(), 0.0);
}

TalkGraph TalkGraph::from_rows(std::vector<std::size_t> begin, std::vector<Neighbour> neighbours,
                               std::vector<double> loads) {
  TalkGraph graph;
  graph.begin_ = std::move(begin);
  graph.neighbours_ = std::move(neighbours);
  graph.loads_ = std::move(loads);
  graph.total_load_ = std::accumulate(graph.loads_.begin(), graph.loads_.end(), 0.0);
  return graph;
}

}  // namespace roam::topology
