// SPDX-License-Identifier: Apache-2.0
#include "topology_steps.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "../amount.hpp"
#include "../strategies/topology_place.hpp"
#include "group_objects.hpp"
#include "quotient_flows.hpp"
#include "rank_groups.hpp"
#include "roam/placement/detail/note_lists.hpp"
#include "roam/placement/detail/rank_places.hpp"

namespace roam::placement {

namespace {

// Exchanges between groups: in each, a group passes on half of its work at most, and only in the
// last one does work go to groups with which its own does not communicate.
constexpr int rounds = 3;
// Seconds of rank 0 per group and per pair of groups to plan flows.
constexpr double planning_seconds = 2e-7;
// The part of the allowed imbalance that groups may be left with: inside, ranks need the rest.
constexpr double part_between_groups = 0.2;

/// Precedes what a member tells its leader. Plain bytes.
struct LoadsHead {
  double capacity;
  double fixed_seconds;
};

/// What a leader tells rank 0 before objects are exchanged. Plain bytes.
struct GroupReport {
  GroupWork work;
  double largest;        ///< of its objects, seconds
  double fastest;        ///< of its ranks, seconds of work per second
  double fixed_seconds;  ///< of the rank whose work that stays takes longest
};

/// What rank 0 plans for a group; its flows follow. Plain bytes.
struct Plan {
  double limit_seconds;
};

/// Which of the placements are compared.
enum Candidate : std::size_t { present, inside, exchanged, candidates };
/// What they cost. Plain bytes.
struct CandidateCosts {
  PlacementCosts of[candidates];
};

/// What rank 0 has decided. Plain bytes.
struct Verdict {
  std::uint64_t best;  ///< a Candidate
  double busy_now;
  double busy_then;
};

/// What a leader tells an owner of objects after the decision; its moves follow. Plain bytes.
struct MemberOutcome {
  double work_seconds;
  std::uint64_t arriving_objects;
  std::uint64_t arriving_bytes;
  double busy_now;
  double busy_then;
};

std::uint64_t scattered(std::uint64_t id) { return (id * 0x9e3779b97f4a7c15ULL) >> 32U; }

using Received = std::span<const StepMessage>;

template <class... T>
void send_to(StepHost& host, std::int32_t rank, const T&... parts) {
  core::Packer packer = host.message();
  (core::pack(packer, parts), ...);
  host.send(rank, std::move(packer));
}

class TopologySteps final : public DistributedStrategy {
 public:
  TopologySteps(const TopologyStepsSettings& settings, RankShare share)
      : settings_(settings),
        share_(std::move(share)),
        machine_(machine_of_job(share_)),
        groups_(machine_, settings.most_ranks),
        place_(place_of(share_)),
        group_(groups_.group_of(place_)),
        places_(groups_.ranks_of(group_)),
        objects_(group_, places_) {
    for (const ObjectNote& note : share_.objects) result_.work_seconds += note.seconds;
    result_.work_seconds += share_.fixed_seconds;
  }

  [[nodiscard]] bool step(StepHost& host, Received received) override {
    using Self = TopologySteps;
    static constexpr std::array steps = {
        &Self::tell_leader, &Self::ask,    &Self::answer, &Self::tell_ties,  // who communicates
        &Self::learn_ties,  &Self::plan,   &Self::give,   &Self::take,       // exchange
        &Self::settle,      &Self::plan,   &Self::give,   &Self::take,       // what is left of it
        &Self::settle,      &Self::plan,   &Self::give,   &Self::take,
        &Self::decide,      &Self::choose, &Self::order,  &Self::learn};
    (this->*steps[next_++])(host, received);
    return next_ < steps.size();
  }

  [[nodiscard]] Result result() override { return std::move(result_); }

 private:
  // --- who is where ---
  [[nodiscard]] static Machine machine_of_job(const RankShare& share) {
    Machine machine;
    machine.ranks = share.size;
    machine.workers_per_rank = 1;
    if (share.places != nullptr && !share.places->network.empty())
      machine.network = share.places->network;
    return machine;
  }
  [[nodiscard]] static std::int32_t place_of(const RankShare& share) {
    if (share.places == nullptr || share.places->rank_at.empty()) return share.rank.value();
    const auto& rank_at = share.places->rank_at;
    return static_cast<std::int32_t>(std::ranges::find(rank_at, share.rank.value()) -
                                     rank_at.begin());
  }
  [[nodiscard]] std::int32_t rank_at(std::int32_t place) const {
    if (share_.places == nullptr || share_.places->rank_at.empty()) return place;
    return share_.places->rank_at[static_cast<std::size_t>(place)];
  }
  [[nodiscard]] std::int32_t leader_of(std::int64_t group) const {
    return rank_at(groups_.ranks_of(static_cast<std::int32_t>(group)).first);
  }
  [[nodiscard]] bool leads() const { return place_ == places_.first; }
  [[nodiscard]] std::size_t level_between(std::int64_t a, std::int64_t b) const {
    return machine_.level_between(groups_.ranks_of(static_cast<std::int32_t>(a)).first,
                                  groups_.ranks_of(static_cast<std::int32_t>(b)).first);
  }
  /// The place of a member, counted from the group's first; throws if the rank is none.
  [[nodiscard]] std::size_t member(Rank rank) const {
    for (std::int32_t place = places_.first; place < places_.last; ++place) {
      if (rank_at(place) == rank.value()) return static_cast<std::size_t>(place - places_.first);
    }
    throw MalformedMessage("loads from a rank of another group");
  }
  void require_leader() const {
    if (!leads()) throw MalformedMessage("a message for a leader to a rank that leads no group");
  }
  void check_group(std::int64_t group) const {
    if (group < 0 || group >= groups_.count()) throw MalformedMessage("a group that is not there");
  }
  void check(const Tie& tie) const {
    check_group(tie.group);
    if (!is_amount(tie.bytes) || !is_amount(tie.messages))
      throw MalformedMessage("an impossible amount of communication");
  }

  // --- who communicates with whom ---
  void tell_leader(StepHost& host, Received) {
    std::vector<ObjectNote> notes = share_.objects;
    for (ObjectNote& note : notes) note.rank = note.to = place_;
    send_to(host, leader_of(group_), LoadsHead{share_.capacity, share_.fixed_seconds}, notes,
            share_.calls);
  }

  /// Leaders: hear the members; tell those who keep a list of some objects which of them are here,
  /// and ask where others are.
  void ask(StepHost& host, Received received) {
    if (!leads()) return;
    speeds_.resize(static_cast<std::size_t>(places_.size()), 1);
    fixed_.resize(speeds_.size());
    for (const StepMessage& message : received) hear_member(message);
    objects_.sort();
    std::map<std::int64_t, std::pair<std::vector<std::uint64_t>, std::set<std::uint64_t>>> lists;
    for (const ObjectNote& note : objects_.objects())
      lists[list_of(note.object)].first.push_back(note.object);
    for (const CallEdge& edge : edges_) {
      for (const std::uint64_t end : {edge.from, edge.to}) {
        if (!objects_.has(end)) lists[list_of(end)].second.insert(end);
      }
    }
    for (const auto& [group, both] : lists) {
      send_to(host, leader_of(group), both.first,
              std::vector<std::uint64_t>(both.second.begin(), both.second.end()));
    }
  }

  [[nodiscard]] std::int64_t list_of(std::uint64_t object) const {
    return static_cast<std::int64_t>(scattered(object) %
                                     static_cast<std::uint64_t>(groups_.count()));
  }

  void hear_member(const StepMessage& message) {
    core::Unpacker bytes(message.bytes);
    const auto head = core::unpack<LoadsHead>(bytes);
    if (!is_amount(head.fixed_seconds) || !is_amount(head.capacity) || head.capacity == 0)
      throw MalformedMessage("impossible loads");
    const std::size_t m = member(message.source);
    speeds_[m] = head.capacity;
    fixed_[m] = head.fixed_seconds;
    for (const ObjectNote& note : core::unpack<std::vector<ObjectNote>>(bytes)) {
      check_note(note, share_.size);
      objects_.add(note);
    }
    const auto edges = core::unpack<std::vector<CallEdge>>(bytes);
    edges_.insert(edges_.end(), edges.begin(), edges.end());
  }

  /// Leaders: answer from their lists. An object of which nobody has told has ended, or is on its
  /// way.
  void answer(StepHost& host, Received received) {
    std::unordered_map<std::uint64_t, std::int64_t> list;
    std::vector<std::vector<std::uint64_t>> asked;
    for (const StepMessage& message : received) {
      require_leader();
      core::Unpacker bytes(message.bytes);
      const std::int64_t group = group_of(message.source);
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

  [[nodiscard]] std::int64_t group_of(Rank leader) const {
    if (share_.places == nullptr || share_.places->rank_at.empty())
      return groups_.group_of(leader.value());
    if (group_of_leader_.empty()) {
      for (std::int32_t g = 0; g < groups_.count(); ++g) group_of_leader_.emplace(leader_of(g), g);
    }
    const auto found = group_of_leader_.find(leader.value());
    if (found == group_of_leader_.end()) throw MalformedMessage("a message that is for leaders");
    return found->second;
  }

  /// Leaders: make the calls that members have counted known where either object is.
  void tell_ties(StepHost& host, Received received) {
    std::unordered_map<std::uint64_t, std::int64_t> known;
    for (const StepMessage& message : received) {
      require_leader();
      core::Unpacker bytes(message.bytes);
      for (const ObjectGroup& one : core::unpack<std::vector<ObjectGroup>>(bytes)) {
        check_group(one.group);
        known.emplace(one.object, one.group);
      }
    }
    const auto where = [&](std::uint64_t object) -> std::int64_t {
      if (objects_.has(object)) return group_;
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
    for (const auto& [group, ties] : of_others) send_to(host, leader_of(group), ties);
  }

  void learn_ties(StepHost& host, Received received) {
    for (const StepMessage& message : received) {
      require_leader();
      core::Unpacker bytes(message.bytes);
      for (const Tie& tie : core::unpack<std::vector<Tie>>(bytes)) {
        check(tie);
        objects_.add(tie);
      }
    }
    if (!leads()) return;
    objects_.sort();
    part_ = machine_of_ranks(machine_, places_, speeds_);
    at_first_ = problem();
    first_notes_ = objects_.objects();
    report(host);
  }

  [[nodiscard]] GroupObjects::Problem problem() const {
    return objects_.problem(part_, fixed_,
                            [this](std::int64_t group) { return level_between(group_, group); });
  }

  // --- exchange between groups ---
  void report(StepHost& host) {
    GroupReport report{{objects_.work_seconds(), 0}, 0, std::ranges::max(speeds_), 0};
    for (std::size_t m = 0; m < speeds_.size(); ++m) {
      report.work.seconds += fixed_[m];
      report.work.capacity += speeds_[m];
      report.fixed_seconds = std::max(report.fixed_seconds, fixed_[m] / speeds_[m]);
    }
    for (const ObjectNote& note : objects_.objects())
      report.largest = std::max(report.largest, note.seconds);
    send_to(host, leader_of(0), report, objects_.bytes_to_groups());
  }

  /// The first leader: says which groups give how much to which.
  void plan(StepHost& host, Received received) {
    if (place_ != 0) return;
    std::vector<GroupWork> works(static_cast<std::size_t>(groups_.count()));
    std::vector<QuotientEdge> edges;
    limit_seconds_ = share_.totals.mean_seconds() * (1 + settings_.imbalance);
    double largest = 0;
    double fastest = 0;
    for (const StepMessage& message : received) {
      core::Unpacker bytes(message.bytes);
      const std::int64_t group = group_of(message.source);
      const auto report = core::unpack<GroupReport>(bytes);
      if (!is_amount(report.work.seconds) || !is_amount(report.work.capacity))
        throw MalformedMessage("impossible work of a group");
      works[static_cast<std::size_t>(group)] = report.work;
      largest = std::max(largest, report.largest);
      fastest = std::max(fastest, report.fastest);
      limit_seconds_ = std::max(limit_seconds_, report.fixed_seconds);
      for (const auto& [other, amount] :
           core::unpack<std::vector<std::pair<std::int64_t, double>>>(bytes)) {
        check_group(other);
        if (amount > 0 && group < other) edges.push_back(edge(group, other));
      }
    }
    if (fastest > 0) limit_seconds_ = std::max(limit_seconds_, largest / fastest);
    const bool is_last = ++planned_ == rounds;
    const auto flows = plan_quotient_flows(
        works, edges,
        {.imbalance = part_between_groups * settings_.imbalance, .may_jump = is_last});
    host.charge(planning_seconds * static_cast<double>(works.size() + edges.size()));
    auto first = flows.begin();
    for (std::int32_t g = 0; g < groups_.count(); ++g) {
      const auto end = std::find_if(first, flows.end(), [g](const Flow& f) { return f.from != g; });
      send_to(host, leader_of(g), Plan{limit_seconds_}, std::vector<Flow>(first, end));
      first = end;
    }
  }

  /// Nearer groups have less between them.
  [[nodiscard]] QuotientEdge edge(std::int64_t a, std::int64_t b) const {
    return {static_cast<std::int32_t>(a), static_cast<std::int32_t>(b),
            1 + static_cast<double>(level_between(a, b))};
  }

  void give(StepHost& host, Received received) {
    for (const StepMessage& message : received) {
      require_leader();
      core::Unpacker bytes(message.bytes);
      limit_seconds_ = core::unpack<Plan>(bytes).limit_seconds;
      if (!is_amount(limit_seconds_)) throw MalformedMessage("an impossible limit of work");
      const auto flows = core::unpack<std::vector<Flow>>(bytes);
      for (const Flow& flow : flows) {
        check_group(flow.to);
        if (flow.from != group_ || flow.to == group_ || !is_amount(flow.seconds))
          throw MalformedMessage("a plan for another group");
      }
      const auto given = objects_.give(flows);
      std::map<std::int64_t, std::pair<Travellers, std::vector<ObjectGroup>>> all;
      for (std::size_t f = 0; f < flows.size(); ++f) {
        if (!given[f].objects.empty()) all[flows[f].to].first = given[f];
      }
      has_exchanged_ = has_exchanged_ || !all.empty();
      for (const News& news : objects_.news()) all[news.to].second.push_back(news.what);
      for (const auto& [group, both] : all)
        send_to(host, leader_of(group), both.first.objects, both.first.ties, both.second);
    }
  }

  void take(StepHost& host, Received received) {
    std::vector<Travellers> travellers;
    std::vector<ObjectGroup> news;
    for (const StepMessage& message : received) {
      require_leader();
      core::Unpacker bytes(message.bytes);
      Travellers& some = travellers.emplace_back();
      some.objects = core::unpack<std::vector<ObjectNote>>(bytes);
      for (const ObjectNote& note : some.objects) check_note(note, share_.size);
      some.ties = core::unpack<std::vector<Tie>>(bytes);
      for (const Tie& tie : some.ties) check(tie);
      const auto heard = core::unpack<std::vector<ObjectGroup>>(bytes);
      for (const ObjectGroup& one : heard) check_group(one.group);
      news.insert(news.end(), heard.begin(), heard.end());
    }
    if (received.empty()) return;
    has_exchanged_ = true;
    std::map<std::int64_t, std::vector<ObjectGroup>> forwarded;
    for (const News& one : objects_.arrive(travellers, news)) forwarded[one.to].push_back(one.what);
    for (const auto& [group, list] : forwarded) send_to(host, leader_of(group), list);
  }

  void hear_forwarded(Received received) {
    for (const StepMessage& message : received) {
      require_leader();
      core::Unpacker bytes(message.bytes);
      const auto news = core::unpack<std::vector<ObjectGroup>>(bytes);
      for (const ObjectGroup& one : news) check_group(one.group);
      objects_.hear(news);
    }
  }

  void settle(StepHost& host, Received received) {
    hear_forwarded(received);
    if (leads()) report(host);
  }

  // --- placing ---
  [[nodiscard]] Placement placed(StepHost& host, const GroupObjects::Problem& group) const {
    host.charge(settings_.seconds_per_object * static_cast<double>(group.graph.size()) +
                settings_.seconds_per_link *
                    static_cast<double>(group.graph.links.size() + group.outside.size()));
    return place_by_topology(group.graph, part_,
                             {.imbalance = imbalance_of(group.graph), .outside = group.outside});
  }
  /// The imbalance inside of the group with which its ranks are within the limit of all ranks.
  [[nodiscard]] double imbalance_of(const LoadGraph& graph) const {
    const auto sum = [](const std::vector<double>& list) {
      return std::accumulate(list.begin(), list.end(), 0.0);
    };
    const double mean = (sum(graph.seconds) + sum(fixed_)) / sum(speeds_);
    const double allowed = mean > 0 ? limit_seconds_ / mean - 1 : settings_.imbalance;
    return allowed > 0 ? allowed : settings_.imbalance;
  }
  [[nodiscard]] PlacementCosts costs(const GroupObjects::Problem& group,
                                     const std::vector<ObjectNote>& notes,
                                     const Placement& placement) const {
    PlacementCosts costs = costs_of(group.graph, part_, placement, group.outside);
    costs.moved = 0;
    for (std::size_t i = 0; i < notes.size(); ++i) {
      if (notes[i].rank != places_.first + placement[i])
        costs.moved += 1 + static_cast<double>(notes[i].bytes);
    }
    return costs;
  }

  /// Leaders: place the objects that they have now, and those that they had before.
  void decide(StepHost& host, Received received) {
    hear_forwarded(received);
    if (!leads()) return;
    CandidateCosts all;
    all.of[present] = costs(at_first_, first_notes_, at_first_.graph.rank);
    placements_[inside] = placed(host, at_first_);
    all.of[inside] = costs(at_first_, first_notes_, placements_[inside]);
    if (has_exchanged_) {
      const GroupObjects::Problem now = problem();
      placements_[exchanged] = placed(host, now);
      all.of[exchanged] = costs(now, objects_.objects(), placements_[exchanged]);
    } else {
      placements_[exchanged] = placements_[inside];
      all.of[exchanged] = all.of[inside];
    }
    send_to(host, leader_of(0), all);
  }

  /// The first leader: takes the best of the candidates, the same in all groups.
  void choose(StepHost& host, Received received) {
    if (place_ != 0) return;
    CandidateCosts all{};
    for (const StepMessage& message : received) {
      core::Unpacker bytes(message.bytes);
      const auto of_group = core::unpack<CandidateCosts>(bytes);
      for (std::size_t c = 0; c < candidates; ++c) {
        all.of[c].work_seconds = std::max(all.of[c].work_seconds, of_group.of[c].work_seconds);
        all.of[c].busy_seconds = std::max(all.of[c].busy_seconds, of_group.of[c].busy_seconds);
        all.of[c].communication_seconds += of_group.of[c].communication_seconds;
        all.of[c].moved += of_group.of[c].moved;
      }
    }
    std::size_t best = present;
    for (const std::size_t c : {inside, exchanged}) {
      if (all.of[c].are_better_than(all.of[best], limit_seconds_)) best = c;
    }
    const Verdict verdict{best, all.of[present].busy_seconds, all.of[best].busy_seconds};
    for (std::int32_t g = 0; g < groups_.count(); ++g) send_to(host, leader_of(g), verdict);
  }

  /// Leaders: tell each member its final state, and each owner the moves of its objects.
  void order(StepHost& host, Received received) {
    if (!leads()) return;
    if (received.size() != 1) throw MalformedMessage("not one verdict but several, or none");
    core::Unpacker bytes(received.front().bytes);
    const auto verdict = core::unpack<Verdict>(bytes);
    if (verdict.best >= candidates) throw MalformedMessage("a verdict for no placement");
    const bool is_exchanged = verdict.best == exchanged;
    const std::vector<ObjectNote>& notes = is_exchanged ? objects_.objects() : first_notes_;
    const Placement& placement =
        verdict.best == present ? at_first_.graph.rank : placements_[verdict.best];
    std::map<std::int32_t, std::vector<ObjectNote>> moves;  // by the place of the owner
    std::vector<MemberOutcome> ends;
    for (std::int32_t place = places_.first; place < places_.last; ++place) {
      moves[place];
      ends.push_back({fixed_[ends.size()], 0, 0, verdict.busy_now, verdict.busy_then});
    }
    for (std::size_t i = 0; i < notes.size(); ++i) {
      MemberOutcome& end = ends[static_cast<std::size_t>(placement[i])];
      end.work_seconds += notes[i].seconds;
      ObjectNote note = notes[i];
      if (note.rank == places_.first + placement[i]) continue;
      ++end.arriving_objects;
      end.arriving_bytes += note.bytes;
      const std::int32_t owner = std::exchange(note.rank, rank_at(note.rank));
      note.to = rank_at(places_.first + placement[i]);
      moves[owner].push_back(note);
    }
    for (const auto& [place, list] : moves) {
      const bool is_member = places_.contains(place);
      send_to(host, rank_at(place),
              is_member ? ends[static_cast<std::size_t>(place - places_.first)] : MemberOutcome{},
              list);
    }
  }

  void learn(StepHost&, Received received) {
    for (const StepMessage& message : received) {
      core::Unpacker bytes(message.bytes);
      const auto end = core::unpack<MemberOutcome>(bytes);
      if (message.source.value() == leader_of(group_)) {
        result_.work_seconds = end.work_seconds;
        result_.arriving_objects = end.arriving_objects;
        result_.arriving_bytes = end.arriving_bytes;
        result_.busy_seconds_now = end.busy_now;
        result_.busy_seconds_then = end.busy_then;
      }
      for (const ObjectNote& note : core::unpack<std::vector<ObjectNote>>(bytes)) {
        check_note(note, share_.size);
        if (note.rank != share_.rank.value())
          throw MalformedMessage("an order to move what is not here");
        result_.moves.push_back(note);
      }
    }
  }

  const TopologyStepsSettings settings_;
  const RankShare share_;
  const Machine machine_;    // all ranks, in the order of the tree, without their speeds
  const RankGroups groups_;  // of places
  const std::int32_t place_;
  const std::int32_t group_;
  const TreeRange places_;  // of this group
  std::size_t next_ = 0;
  // On leaders:
  GroupObjects objects_;
  std::vector<CallEdge> edges_;
  std::vector<double> speeds_;
  std::vector<double> fixed_;
  Machine part_;
  GroupObjects::Problem at_first_;       // before objects are exchanged
  std::vector<ObjectNote> first_notes_;  // the objects then
  bool has_exchanged_ = false;
  int planned_ = 0;
  double limit_seconds_ = 0;
  std::array<Placement, candidates> placements_;
  mutable std::unordered_map<std::int32_t, std::int64_t> group_of_leader_;
  Result result_;
};

}  // namespace

std::unique_ptr<DistributedStrategy> make_topology_steps(const TopologyStepsSettings& settings,
                                                         RankShare share) {
  return std::make_unique<TopologySteps>(settings, std::move(share));
}

}  // namespace roam::placement
