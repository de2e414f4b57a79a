// SPDX-License-Identifier: Apache-2.0
#include "group_candidates.hpp"

#include <algorithm>
#include <numeric>

namespace roam::placement {

namespace {

constexpr std::array all_candidates = {Candidate::present, Candidate::inside, Candidate::exchanged};

/// What the candidates cost. Plain bytes.
struct CandidateCosts {
  PlacementCosts of[candidate_count];
  [[nodiscard]] PlacementCosts& operator[](Candidate c) { return of[static_cast<std::size_t>(c)]; }
  [[nodiscard]] const PlacementCosts& operator[](Candidate c) const {
    return of[static_cast<std::size_t>(c)];
  }
};

PlacementCosts costs(const LedGroup& group, std::int32_t first_place,
                     const GroupObjects::Problem& problem, const std::vector<ObjectNote>& notes,
                     const Placement& placement) {
  PlacementCosts costs = costs_of(problem.graph, group.machine(), placement, problem.outside);
  costs.moved = 0;
  for (std::size_t i = 0; i < notes.size(); ++i) {
    if (notes[i].rank != first_place + placement[i])
      costs.moved += 1 + static_cast<double>(notes[i].bytes);
  }
  return costs;
}

double sum(const std::vector<double>& list) {
  return std::accumulate(list.begin(), list.end(), 0.0);
}

}  // namespace

void GroupCandidates::begin() {
  at_first_ = group_.problem();
  first_notes_ = group_.objects().objects();
}

void GroupCandidates::decide(StepHost& host, const JobGroups& job, bool has_exchanged,
                             double limit_seconds) {
  const std::int32_t first = job.places().first;
  CandidateCosts all;
  all[Candidate::present] = costs(group_, first, at_first_, first_notes_, at_first_.graph.rank);
  inside_ = placed(host, at_first_, limit_seconds);
  all[Candidate::inside] = costs(group_, first, at_first_, first_notes_, inside_);
  if (has_exchanged) {
    const GroupObjects::Problem now = group_.problem();
    exchanged_ = placed(host, now, limit_seconds);
    all[Candidate::exchanged] = costs(group_, first, now, group_.objects().objects(), exchanged_);
  } else {
    exchanged_ = inside_;
    all[Candidate::exchanged] = all[Candidate::inside];
  }
  send_to(host, job.leader_of(0), all);
}

Placement GroupCandidates::placed(StepHost& host, const GroupObjects::Problem& problem,
                                  double limit_seconds) const {
  host.charge(settings_.seconds_per_object * static_cast<double>(problem.graph.size()) +
              settings_.seconds_per_link *
                  static_cast<double>(problem.graph.links.size() + problem.outside.size()));
  return place_by_topology(
      problem.graph, group_.machine(),
      {.imbalance = imbalance_of(problem.graph, limit_seconds), .outside = problem.outside});
}

/// The imbalance inside of the group with which its ranks are within the limit of all ranks.
double GroupCandidates::imbalance_of(const LoadGraph& graph, double limit_seconds) const {
  const double mean = (sum(graph.seconds) + sum(group_.fixed_seconds())) / sum(group_.speeds());
  const double allowed = mean > 0 ? limit_seconds / mean - 1 : settings_.imbalance;
  return allowed > 0 ? allowed : settings_.imbalance;
}

const std::vector<ObjectNote>& GroupCandidates::objects(Candidate candidate) const {
  return candidate == Candidate::exchanged ? group_.objects().objects() : first_notes_;
}

const Placement& GroupCandidates::placement(Candidate candidate) const {
  switch (candidate) {
    case Candidate::present:
      return at_first_.graph.rank;
    case Candidate::inside:
      return inside_;
    case Candidate::exchanged:
      break;
  }
  return exchanged_;
}

void choose_candidate(StepHost& host, Received received, const JobGroups& job,
                      double limit_seconds) {
  CandidateCosts all{};
  for (const StepMessage& message : received) {
    core::Unpacker bytes(message.bytes);
    const auto of_group = core::unpack<CandidateCosts>(bytes);
    for (const Candidate c : all_candidates) {
      all[c].work_seconds = std::max(all[c].work_seconds, of_group[c].work_seconds);
      all[c].busy_seconds = std::max(all[c].busy_seconds, of_group[c].busy_seconds);
      all[c].communication_seconds += of_group[c].communication_seconds;
      all[c].moved += of_group[c].moved;
    }
  }
  Candidate best = Candidate::present;
  for (const Candidate c : {Candidate::inside, Candidate::exchanged}) {
    if (all[c].are_better_than(all[best], limit_seconds)) best = c;
  }
  const Verdict verdict{static_cast<std::uint64_t>(best), all[Candidate::present].busy_seconds,
                        all[best].busy_seconds};
  for (std::int32_t g = 0; g < job.count(); ++g) send_to(host, job.leader_of(g), verdict);
}

}  // namespace roam::placement
