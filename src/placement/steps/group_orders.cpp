// SPDX-License-Identifier: Apache-2.0
#include "group_orders.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "roam/core/error.hpp"
#include "roam/placement/detail/note_lists.hpp"

namespace roam::placement {

namespace {

/// What a leader tells an owner of objects after the decision; its moves follow. Plain bytes.
struct MemberOutcome {
  double work_seconds;
  std::uint64_t arriving_objects;
  std::uint64_t arriving_bytes;
  double busy_now;
  double busy_then;
};

Verdict verdict_in(Received received) {
  if (received.size() != 1) throw MalformedMessage("not one verdict but several, or none");
  core::Unpacker bytes(received.front().bytes);
  const auto verdict = core::unpack<Verdict>(bytes);
  if (verdict.best >= candidate_count) throw MalformedMessage("a verdict for no placement");
  return verdict;
}

}  // namespace

void send_orders(StepHost& host, Received received, const JobGroups& job, const LedGroup& group,
                 const GroupCandidates& candidates) {
  const Verdict verdict = verdict_in(received);
  const auto candidate = static_cast<Candidate>(verdict.best);
  const std::vector<ObjectNote>& notes = candidates.objects(candidate);
  const Placement& placement = candidates.placement(candidate);
  const TreeRange places = job.places();
  std::map<std::int32_t, std::vector<ObjectNote>> moves;  // by the place of the owner
  std::vector<MemberOutcome> ends;
  for (std::int32_t place = places.first; place < places.last; ++place) {
    moves[place];
    ends.push_back({group.fixed_seconds()[ends.size()], 0, 0, verdict.busy_now, verdict.busy_then});
  }
  for (std::size_t i = 0; i < notes.size(); ++i) {
    MemberOutcome& end = ends[static_cast<std::size_t>(placement[i])];
    end.work_seconds += notes[i].seconds;
    ObjectNote note = notes[i];
    if (note.rank == places.first + placement[i]) continue;
    ++end.arriving_objects;
    end.arriving_bytes += note.bytes;
    const std::int32_t owner = std::exchange(note.rank, job.rank_at(note.rank));
    note.to = job.rank_at(places.first + placement[i]);
    moves[owner].push_back(note);
  }
  for (const auto& [place, list] : moves) {
    const bool is_member = places.contains(place);
    send_to(host, job.rank_at(place),
            is_member ? ends[static_cast<std::size_t>(place - places.first)] : MemberOutcome{},
            list);
  }
}

DistributedStrategy::Result learn_orders(Received received, const JobGroups& job,
                                         const RankShare& share) {
  DistributedStrategy::Result result;
  for (const ObjectNote& note : share.objects) result.work_seconds += note.seconds;
  result.work_seconds += share.fixed_seconds;
  for (const StepMessage& message : received) {
    core::Unpacker bytes(message.bytes);
    const auto end = core::unpack<MemberOutcome>(bytes);
    if (message.source.value() == job.leader_of(job.group())) {
      result.work_seconds = end.work_seconds;
      result.arriving_objects = end.arriving_objects;
      result.arriving_bytes = end.arriving_bytes;
      result.busy_seconds_now = end.busy_now;
      result.busy_seconds_then = end.busy_then;
    }
    for (const ObjectNote& note : core::unpack<std::vector<ObjectNote>>(bytes)) {
      check_note(note, share.size);
      if (note.rank != share.rank.value())
        throw MalformedMessage("an order to move what is not here");
      result.moves.push_back(note);
    }
  }
  return result;
}

}  // namespace roam::placement
