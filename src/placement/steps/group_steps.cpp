// SPDX-License-Identifier: Apache-2.0
#include "group_steps.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "../strategies/groups.hpp"
#include "roam/placement/detail/note_lists.hpp"

namespace roam::placement {

namespace {

/// Precedes the notes that a member sends to its leader. Plain bytes.
struct MemberHead {
  double capacity;
  double fixed_seconds;
};

/// What a leader tells a member after the decision. Plain bytes.
struct MemberEnd {
  double work_seconds;
  std::uint64_t arriving_objects;
  std::uint64_t arriving_bytes;
};

// Seconds per group to decide what groups give each other.
constexpr double seconds_per_group = 2e-7;

bool is_time(double seconds) { return std::isfinite(seconds) && seconds >= 0; }

class GroupSteps final : public DistributedStrategy {
 public:
  GroupSteps(GroupSettings settings, RankShare share)
      : settings_(std::move(settings)), share_(std::move(share)) {
    for (const ObjectNote& note : share_.objects) result_.work_seconds += note.seconds;
    result_.work_seconds += share_.fixed_seconds;
  }

  [[nodiscard]] bool step(StepHost& host, std::span<const StepMessage> received) override {
    switch (next_++) {
      case 0:
        tell_leader(host);
        return true;
      case 1:
        hear_members(received);
        tell_root(host);
        return true;
      case 2:
        plan(host, received);
        return true;
      case 3:
        give(host, received);
        return true;
      case 4:
        take(received);
        place(host);
        return true;
      default:
        learn(received);
        return false;
    }
  }

  [[nodiscard]] Result result() override { return std::move(result_); }

 private:
  [[nodiscard]] std::int32_t rank() const { return share_.rank.value(); }
  [[nodiscard]] std::int32_t leader_of(std::int32_t group) const {
    return group * settings_.group_ranks;
  }
  [[nodiscard]] std::int32_t group() const { return rank() / settings_.group_ranks; }
  [[nodiscard]] std::int32_t groups() const {
    return (share_.size + settings_.group_ranks - 1) / settings_.group_ranks;
  }
  [[nodiscard]] bool leads() const { return rank() == leader_of(group()); }
  [[nodiscard]] std::int32_t group_size() const {
    return std::min(settings_.group_ranks, share_.size - leader_of(group()));
  }

  void tell_leader(StepHost& host) {
    core::Packer packer = host.message();
    core::pack(packer, MemberHead{share_.capacity, share_.fixed_seconds});
    core::pack(packer, share_.objects);
    host.send(leader_of(group()), std::move(packer));
  }

  void hear_members(std::span<const StepMessage> received) {
    if (!leads()) return;
    members_.resize(static_cast<std::size_t>(group_size()));
    for (const StepMessage& message : received) {
      core::Unpacker bytes(message.bytes);
      const auto head = core::unpack<MemberHead>(bytes);
      const std::int32_t index = message.source.value() - rank();
      if (index < 0 || index >= group_size() || !is_time(head.fixed_seconds) ||
          !is_time(head.capacity) || head.capacity == 0) {
        throw MalformedMessage("loads from a rank of another group, or impossible ones");
      }
      Member& member = members_[static_cast<std::size_t>(index)];
      member.capacity = head.capacity;
      member.fixed_seconds = head.fixed_seconds;
      member.objects = core::unpack<std::vector<ObjectNote>>(bytes);
      for (const ObjectNote& note : member.objects) check_note(note, share_.size);
    }
  }

  void tell_root(StepHost& host) {
    if (!leads() || groups() == 1) return;
    GroupWork work{0, 0};
    for (const Member& member : members_) {
      work.seconds += member.fixed_seconds;
      work.capacity += member.capacity;
      for (const ObjectNote& note : member.objects) work.seconds += note.seconds;
    }
    core::Packer packer = host.message();
    core::pack(packer, work);
    host.send(0, std::move(packer));
  }

  void plan(StepHost& host, std::span<const StepMessage> received) {
    if (rank() != 0 || groups() == 1) return;
    std::vector<GroupWork> works(static_cast<std::size_t>(groups()));
    for (const StepMessage& message : received) {
      core::Unpacker bytes(message.bytes);
      const auto work = core::unpack<GroupWork>(bytes);
      if (message.source.value() % settings_.group_ranks != 0 || !is_time(work.seconds) ||
          !is_time(work.capacity)) {
        throw MalformedMessage("the work of a group from a rank that leads none");
      }
      works[static_cast<std::size_t>(message.source.value() / settings_.group_ranks)] = work;
    }
    const auto flows = plan_flows(works, settings_.arity, settings_.imbalance);
    host.charge(seconds_per_group * static_cast<double>(works.size()));
    for (auto first = flows.begin(); first != flows.end();) {
      const auto end = std::find_if(first, flows.end(),
                                    [&](const Flow& flow) { return flow.from != first->from; });
      core::Packer packer = host.message();
      core::pack(packer, std::vector<Flow>(first, end));
      host.send(leader_of(first->from), std::move(packer));
      first = end;
    }
  }

  void give(StepHost& host, std::span<const StepMessage> received) {
    for (const StepMessage& message : received) {
      core::Unpacker bytes(message.bytes);
      const auto flows = core::unpack<std::vector<Flow>>(bytes);
      for (const Flow& flow : flows) {
        if (!leads() || flow.from != group() || flow.to < 0 || flow.to >= groups()) {
          throw MalformedMessage("a plan for another group");
        }
      }
      const auto given = give_away(members_, flows);
      for (std::size_t f = 0; f < flows.size(); ++f) {
        core::Packer packer = host.message();
        core::pack(packer, given[f]);
        host.send(leader_of(flows[f].to), std::move(packer));
      }
    }
  }

  void take(std::span<const StepMessage> received) {
    for (const StepMessage& message : received) {
      if (!leads()) throw MalformedMessage("objects for a rank that leads no group");
      core::Unpacker bytes(message.bytes);
      for (const ObjectNote& note : core::unpack<std::vector<ObjectNote>>(bytes)) {
        check_note(note, share_.size);
        newcomers_.push_back(note);
      }
    }
  }

  void place(StepHost& host) {
    if (!leads()) return;
    Machine machine;
    machine.ranks = group_size();
    machine.workers_per_rank = 1;
    machine.speeds.clear();
    LoadGraph graph;
    std::vector<ObjectNote> notes;
    const auto add = [&](const ObjectNote& note, std::int32_t on) {
      graph.seconds.push_back(note.seconds);
      graph.bytes.push_back(note.bytes);
      graph.rank.push_back(on);
      notes.push_back(note);
    };
    for (std::size_t m = 0; m < members_.size(); ++m) {
      machine.speeds.push_back(members_[m].capacity);
      graph.background_seconds.push_back(members_[m].fixed_seconds);
      for (const ObjectNote& note : members_[m].objects) add(note, static_cast<std::int32_t>(m));
    }
    if (std::ranges::all_of(graph.background_seconds, [](double s) { return s == 0; })) {
      graph.background_seconds.clear();
    }
    const std::size_t known = notes.size();
    for (const ObjectNote& note : newcomers_) add(note, -1);
    give_newcomers_a_rank(graph, machine, known);
    const Placement placement = settings_.inside(graph, machine);
    host.charge(settings_.seconds_per_object * static_cast<double>(notes.size()));
    tell_owners(host, notes, placement);
  }

  /// Sends each member its final state, and each owner the moves of its objects.
  void tell_owners(StepHost& host, std::vector<ObjectNote>& notes, const Placement& placement) {
    std::vector<MemberEnd> ends;
    for (const Member& member : members_) ends.push_back({member.fixed_seconds, 0, 0});
    std::map<std::int32_t, std::vector<ObjectNote>> moves;
    for (std::size_t i = 0; i < notes.size(); ++i) {
      ObjectNote& note = notes[i];
      MemberEnd& end = ends[static_cast<std::size_t>(placement[i])];
      end.work_seconds += note.seconds;
      note.to = rank() + placement[i];
      if (note.to == note.rank) continue;
      ++end.arriving_objects;
      end.arriving_bytes += note.bytes;
      moves[note.rank].push_back(note);
    }
    // An empty list, if none of its objects moves.
    for (std::int32_t m = 0; m < group_size(); ++m) moves[rank() + m];
    for (const auto& [owner, list] : moves) {
      core::Packer packer = host.message();
      const std::int32_t m = owner - rank();
      const bool is_member = m >= 0 && m < group_size();
      core::pack(packer, is_member ? ends[static_cast<std::size_t>(m)] : MemberEnd{});
      core::pack(packer, list);
      host.send(owner, std::move(packer));
    }
  }

  void learn(std::span<const StepMessage> received) {
    for (const StepMessage& message : received) {
      core::Unpacker bytes(message.bytes);
      const auto end = core::unpack<MemberEnd>(bytes);
      if (message.source.value() == leader_of(group())) {
        result_.work_seconds = end.work_seconds;
        result_.arriving_objects = end.arriving_objects;
        result_.arriving_bytes = end.arriving_bytes;
      }
      for (const ObjectNote& note : core::unpack<std::vector<ObjectNote>>(bytes)) {
        check_note(note, share_.size);
        if (note.rank != rank()) throw MalformedMessage("an order to move what is not here");
        result_.moves.push_back(note);
      }
    }
  }

  const GroupSettings settings_;
  const RankShare share_;
  int next_ = 0;
  std::vector<Member> members_;        // on leaders only
  std::vector<ObjectNote> newcomers_;  // on leaders only
  Result result_;
};

}  // namespace

std::unique_ptr<DistributedStrategy> make_group_steps(GroupSettings settings, RankShare share) {
  return std::make_unique<GroupSteps>(std::move(settings), std::move(share));
}

}  // namespace roam::placement
