// SPDX-License-Identifier: Apache-2.0
#include "step_records.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <tuple>
#include <utility>

#include "strategies/wait_graph.hpp"

namespace roam::offload {

namespace {

/// Reduces a list to its heaviest edges, the heaviest first; among equals, those of the first
/// ranks. Returns how many were left out.
template <class Edge, class Weight>
std::uint64_t keep_heaviest(std::vector<Edge>& edges, Weight weight) {
  const auto is_before = [&](const Edge& a, const Edge& b) {
    if (weight(a) != weight(b)) return weight(a) > weight(b);
    return std::tuple(a.from.value(), a.to.value()) < std::tuple(b.from.value(), b.to.value());
  };
  const std::size_t kept = std::min(edges.size(), StepRecords::most_edges_of_step);
  std::partial_sort(edges.begin(), edges.begin() + static_cast<std::ptrdiff_t>(kept), edges.end(),
                    is_before);
  const std::uint64_t left_out = edges.size() - kept;
  edges.resize(kept);
  edges.shrink_to_fit();
  return left_out;
}

void add_sums(const StepView& step, trace::OffloadStep& record) {
  for (const RankStep& rank : step.ranks) {
    record.seconds = std::max(record.seconds, double{rank.seconds});
    record.tasks += rank.tasks;
    record.offloaded += rank.away;
    record.recomputed += rank.recomputed;
    record.in_vain += rank.in_vain;
  }
  for (const Flow& flow : step.flows) record.allowed += flow.allowed;
  std::array<std::uint64_t, emergency_reasons> times{};
  for (const Emergency& one : step.emergencies) {
    record.emergencies += one.times;
    times[static_cast<std::size_t>(one.reason)] += one.times;
  }
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (times[i] > 0)
      record.emergencies_by_reason.push_back(
          {to_string(static_cast<EmergencyReason>(i)), times[i]});
  }
}

// In place of their numbers.
void name_ranks(trace::OffloadStep& record, const StepRecords::RankOf& rank_of) {
  const auto name = [&rank_of](Rank& one) {
    if (one != no_rank) one = rank_of(one.value());
  };
  name(record.critical);
  name(record.victim);
  for (std::int32_t& one : record.blacklisted) one = rank_of(one).value();
  for (trace::OffloadWait& one : record.waits) {
    name(one.from);
    name(one.to);
  }
  for (trace::OffloadFlow& one : record.flows) {
    name(one.from);
    name(one.to);
  }
}

void add_graphs(const StepView& step, trace::OffloadStep& record) {
  for (const Wait& wait : step.waits)
    record.waits.push_back({wait.from, wait.to, double{wait.seconds}});
  for (const Flow& flow : step.flows)
    record.flows.push_back({flow.from, flow.to, flow.offloaded, flow.allowed});
  record.waits_left_out =
      keep_heaviest(record.waits, [](const trace::OffloadWait& one) { return one.seconds; });
  record.flows_left_out = keep_heaviest(record.flows, [](const trace::OffloadFlow& one) {
    return std::pair(one.offloaded, one.allowed);
  });
}

}  // namespace

void StepRecords::add(const StepView& step, const Strategy& strategy, Instant when,
                      const RankOf& rank_of) {
  trace::OffloadStep record;
  record.step = step.step;
  record.time = when;
  record.relaxation = strategy.relaxation();
  for (const Blacklisted& one : strategy.blacklisted()) {
    record.blacklisted.push_back(one.rank);
    record.blacklist_reasons.emplace_back(to_string(one.reason));
  }
  const WaitGraph graph(step);
  if (const auto critical = graph.critical_rank()) record.critical = *critical;
  const auto victim = graph.optimal_victim([&](std::int32_t rank) {
    return rank != record.critical.value() &&
           std::ranges::find(record.blacklisted, rank) == record.blacklisted.end();
  });
  if (victim) record.victim = victim->rank;
  add_sums(step, record);
  if (keeps_graphs_) add_graphs(step, record);
  if (rank_of) name_ranks(record, rank_of);

  const std::lock_guard guard(mutex_);
  edges_ += record.waits.size() + record.flows.size();
  steps_.push_back(std::move(record));
  while (steps_.size() > most_steps || (edges_ > most_edges && steps_.size() > 1)) {
    edges_ -= steps_.front().waits.size() + steps_.front().flows.size();
    steps_.pop_front();
    ++left_out_;
  }
}

std::vector<trace::OffloadStep> StepRecords::steps() const {
  const std::lock_guard guard(mutex_);
  return {steps_.begin(), steps_.end()};
}

std::uint64_t StepRecords::left_out() const {
  const std::lock_guard guard(mutex_);
  return left_out_;
}

}  // namespace roam::offload
