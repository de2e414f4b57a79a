// SPDX-License-Identifier: Apache-2.0
#include "partner_search.hpp"

#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "../amount.hpp"
#include "roam/core/error.hpp"
#include "roam/placement/detail/note_lists.hpp"

namespace roam::placement {

namespace {

/// Precedes what a member tells its leader. Plain bytes.
struct LoadsHead {
  double capacity;
  double fixed_seconds;
};

std::uint64_t scattered(std::uint64_t id) { return (id * 0x9e3779b97f4a7c15ULL) >> 32U; }

}  // namespace

void check_tie(const Tie& tie, const JobGroups& job) {
  job.check(tie.group);
  if (!is_amount(tie.bytes) || !is_amount(tie.messages))
    throw MalformedMessage("an impossible amount of communication");
}

void PartnerSearch::tell_leader(StepHost& host, const RankShare& share) const {
  std::vector<ObjectNote> notes = share.objects;
  for (ObjectNote& note : notes) note.rank = note.to = job_.place();
  send_to(host, job_.leader_of(job_.group()), LoadsHead{share.capacity, share.fixed_seconds}, notes,
          share.calls);
}

void PartnerSearch::ask(StepHost& host, Received received, std::int32_t ranks) {
  if (!job_.leads()) return;
  group_.begin();
  for (const StepMessage& message : received) hear_member(message, ranks);
  group_.end_ranks();
  const GroupObjects& objects = group_.objects();
  group_.objects().sort();
  std::map<std::int64_t, std::pair<std::vector<std::uint64_t>, std::set<std::uint64_t>>> lists;
  for (const ObjectNote& note : objects.objects())
    lists[list_of(note.object)].first.push_back(note.object);
  for (const CallEdge& edge : edges_) {
    for (const std::uint64_t end : {edge.from, edge.to}) {
      if (!objects.has(end)) lists[list_of(end)].second.insert(end);
    }
  }
  for (const auto& [group, both] : lists) {
    send_to(host, job_.leader_of(group), both.first,
            std::vector<std::uint64_t>(both.second.begin(), both.second.end()));
  }
}

std::int64_t PartnerSearch::list_of(std::uint64_t object) const {
  return static_cast<std::int64_t>(scattered(object) % static_cast<std::uint64_t>(job_.count()));
}

void PartnerSearch::hear_member(const StepMessage& message, std::int32_t ranks) {
  core::Unpacker bytes(message.bytes);
  const auto head = core::unpack<LoadsHead>(bytes);
  group_.add_rank(message.source, head.capacity, head.fixed_seconds);
  for (const ObjectNote& note : core::unpack<std::vector<ObjectNote>>(bytes)) {
    check_note(note, ranks);
    group_.objects().add(note);
  }
  const auto edges = core::unpack<std::vector<CallEdge>>(bytes);
  edges_.insert(edges_.end(), edges.begin(), edges.end());
}

void PartnerSearch::answer(StepHost& host, Received received) const {
  std::unordered_map<std::uint64_t, std::int64_t> list;
  std::vector<std::vector<std::uint64_t>> asked;
  for (const StepMessage& message : received) {
    job_.require_leader();
    core::Unpacker bytes(message.bytes);
    const std::int64_t group = job_.group_of(message.source);
    for (const std::uint64_t object : core::unpack<std::vector<std::uint64_t>>(bytes))
      list.emplace(object, group);
    asked.push_back(core::unpack<std::vector<std::uint64_t>>(bytes));
  }
  for (std::size_t i = 0; i < received.size(); ++i) {
    std::vector<ObjectGroup> answers;
    for (const std::uint64_t object : asked[i]) {
      const auto found = list.find(object);
      if (found != list.end()) answers.push_back({object, found->second});
    }
    if (!answers.empty()) send_to(host, received[i].source.value(), answers);
  }
}

void PartnerSearch::tell_ties(StepHost& host, Received received) {
  std::unordered_map<std::uint64_t, std::int64_t> known;
  for (const StepMessage& message : received) {
    job_.require_leader();
    core::Unpacker bytes(message.bytes);
    for (const ObjectGroup& one : core::unpack<std::vector<ObjectGroup>>(bytes)) {
      job_.check(one.group);
      known.emplace(one.object, one.group);
    }
  }
  const auto where = [&](std::uint64_t object) -> std::int64_t {
    if (group_.objects().has(object)) return job_.group();
    const auto found = known.find(object);
    return found == known.end() ? -1 : found->second;
  };
  std::map<std::int64_t, std::vector<Tie>> of_others;
  for (const CallEdge& edge : edges_) {
    const std::int64_t from = where(edge.from);
    const std::int64_t to = where(edge.to);
    if (from < 0 || to < 0) continue;
    const auto bytes = static_cast<double>(edge.bytes);
    const auto calls = static_cast<double>(edge.calls);
    of_others[from].push_back({edge.from, edge.to, bytes, calls, to});
    of_others[to].push_back({edge.to, edge.from, bytes, calls, from});
  }
  edges_ = {};
  for (const auto& [group, ties] : of_others) send_to(host, job_.leader_of(group), ties);
}

void PartnerSearch::learn_ties(Received received) {
  for (const StepMessage& message : received) {
    job_.require_leader();
    core::Unpacker bytes(message.bytes);
    for (const Tie& tie : core::unpack<std::vector<Tie>>(bytes)) {
      check_tie(tie, job_);
      group_.objects().add(tie);
    }
  }
  group_.objects().sort();
}

}  // namespace roam::placement
