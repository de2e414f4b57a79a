// SPDX-License-Identifier: Apache-2.0
#include "group_objects.hpp"

#include <algorithm>
#include <queue>
#include <set>
#include <tuple>

#include "../strategies/groups.hpp"

namespace roam::placement {

namespace {

constexpr auto by_pair = [](const Tie& tie) { return std::pair(tie.object, tie.other); };

}  // namespace

/// Chooses what to give away.
class GroupObjects::Giving {
 public:
  explicit Giving(const GroupObjects& all)
      : all_(all), to_(all.objects_.size(), all.group_), gain_(all.objects_.size()) {
    for (const ObjectNote& note : all.objects_) of_rank_[note.rank] += note.seconds;
  }

  void fill(const SizedFlow& flow) {
    queue_ = {};
    for (std::uint32_t i = 0; i < to_.size(); ++i) {
      if (to_[i] != all_.group_ || !is_of_size(i, flow)) continue;
      gain_[i] = gain(i, flow.to);
      push(i);
    }
    double wanted = flow.seconds;
    while (!queue_.empty()) {
      const Candidate best = queue_.top();
      queue_.pop();
      const std::uint32_t i = best.number;
      if (to_[i] != all_.group_ || best.gain != gain_[i] || note(i).seconds > wanted) continue;
      wanted -= note(i).seconds;
      to_[i] = flow.to;
      for (const Tie& tie : all_.ties_of(note(i).object)) {
        const auto other = all_.number_.find(tie.other);
        if (other == all_.number_.end() || to_[other->second] != all_.group_ ||
            !is_of_size(other->second, flow))
          continue;
        gain_[other->second] += 2 * tie.bytes;
        push(other->second);
      }
    }
  }
  /// The group of each object.
  [[nodiscard]] std::span<const std::int64_t> to() const { return to_; }

 private:
  struct Candidate {
    double gain;  // bytes that need no longer cross groups, less those that will
    double per_second;
    double of_rank;  // seconds
    double seconds;
    std::uint32_t number;
    friend bool operator<(const Candidate& a, const Candidate& b) {
      return std::tie(a.per_second, a.of_rank, a.seconds, b.number) <
             std::tie(b.per_second, b.of_rank, b.seconds, a.number);
    }
  };

  [[nodiscard]] const ObjectNote& note(std::uint32_t i) const { return all_.objects_[i]; }
  [[nodiscard]] bool is_of_size(std::uint32_t i, const SizedFlow& flow) const {
    const double seconds = note(i).seconds;
    return seconds > flow.above && seconds <= flow.most_object;
  }
  void push(std::uint32_t i) {
    const double seconds = note(i).seconds;
    queue_.push({gain_[i], gain_[i] / seconds, of_rank_.at(note(i).rank), seconds, i});
  }
  [[nodiscard]] double gain(std::uint32_t i, std::int64_t group) const {
    double bytes = 0;
    for (const Tie& tie : all_.ties_of(note(i).object)) {
      const auto other = all_.number_.find(tie.other);
      const std::int64_t at = other == all_.number_.end() ? tie.group : to_[other->second];
      if (at == group) bytes += tie.bytes;
      if (at == all_.group_) bytes -= tie.bytes;
    }
    return bytes;
  }

  const GroupObjects& all_;
  std::vector<std::int64_t> to_;
  std::vector<double> gain_;
  std::unordered_map<std::int32_t, double> of_rank_;
  std::priority_queue<Candidate> queue_;
};

void GroupObjects::sort() {
  std::ranges::sort(objects_, {}, [this](const ObjectNote& note) {
    return std::pair(!is_native(note), note.object);
  });
  number_.clear();
  for (std::uint32_t i = 0; i < objects_.size(); ++i) number_.emplace(objects_[i].object, i);
  std::erase_if(ties_,
                [this](const Tie& tie) { return tie.object == tie.other || !has(tie.object); });
  std::ranges::stable_sort(ties_, {}, by_pair);
  std::vector<Tie> joined;
  for (Tie& tie : ties_) {
    if (has(tie.other)) tie.group = group_;
    if (!joined.empty() && by_pair(joined.back()) == by_pair(tie)) {
      joined.back().bytes += tie.bytes;
      joined.back().messages += tie.messages;
    } else {
      joined.push_back(tie);
    }
  }
  ties_ = std::move(joined);
}

double GroupObjects::work_seconds() const {
  double seconds = 0;
  for (const ObjectNote& note : objects_) seconds += note.seconds;
  return seconds;
}

std::vector<std::pair<std::int64_t, double>> GroupObjects::bytes_to_groups() const {
  std::map<std::int64_t, double> bytes;
  for (const Tie& tie : ties_) {
    if (tie.group != group_) bytes[tie.group] += tie.bytes;
  }
  return {bytes.begin(), bytes.end()};
}

std::span<const Tie> GroupObjects::ties_of(std::uint64_t object) const {
  return {std::ranges::lower_bound(ties_, object, {}, &Tie::object),
          std::ranges::upper_bound(ties_, object, {}, &Tie::object)};
}

std::map<std::int64_t, Travellers> GroupObjects::give(std::span<const SizedFlow> flows) {
  gone_.clear();
  gone_ties_.clear();
  std::map<std::int64_t, Travellers> given;
  if (flows.empty()) return given;
  Giving giving(*this);
  for (const SizedFlow& flow : flows) giving.fill(flow);
  part_with(giving.to());
  for (const ObjectNote& note : objects_) {
    const auto found = gone_.find(note.object);
    if (found != gone_.end()) given[found->second].objects.push_back(note);
  }
  for (const Tie& tie : gone_ties_) given[gone_.at(tie.object)].ties.push_back(tie);
  std::erase_if(objects_, [this](const ObjectNote& note) { return gone_.contains(note.object); });
  sort();
  return given;
}

/// Separates the ties of objects that go, and enters in all of them who goes where.
void GroupObjects::part_with(std::span<const std::int64_t> to) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (to[i] != group_) gone_.emplace(objects_[i].object, to[i]);
  }
  for (Tie& tie : ties_) {
    const auto other = gone_.find(tie.other);
    if (other != gone_.end()) tie.group = other->second;
    if (gone_.contains(tie.object)) gone_ties_.push_back(tie);
  }
}

std::vector<News> GroupObjects::news() const {
  std::set<std::pair<std::int64_t, std::uint64_t>> told;
  std::vector<News> news;
  for (const Tie& tie : gone_ties_) {
    const std::int64_t group = gone_.at(tie.object);
    if (tie.group == group_ || tie.group == group) continue;
    if (told.emplace(tie.group, tie.object).second)
      news.push_back({tie.group, {tie.object, group}});
  }
  return news;
}

std::vector<News> GroupObjects::arrive(std::span<const Travellers> travellers,
                                       std::span<const ObjectGroup> news) {
  std::vector<News> forwarded;
  for (const Travellers& some : travellers) {
    objects_.insert(objects_.end(), some.objects.begin(), some.objects.end());
    for (Tie tie : some.ties) {
      const auto gone = gone_.find(tie.other);
      if (gone != gone_.end()) {
        tie.group = gone->second;
        forwarded.push_back({tie.group, {tie.object, group_}});
      }
      ties_.push_back(tie);
    }
  }
  sort();
  hear(news);
  std::unordered_map<std::uint64_t, std::int64_t> known;
  for (const ObjectGroup& one : news) known.emplace(one.object, one.group);
  for (const Tie& tie : gone_ties_) {
    const auto found = known.find(tie.other);
    const std::int64_t to = gone_.at(tie.object);
    if (found != known.end() && found->second != to)
      forwarded.push_back({to, {tie.other, found->second}});
  }
  return forwarded;
}

void GroupObjects::hear(std::span<const ObjectGroup> news) {
  std::unordered_map<std::uint64_t, std::int64_t> known;
  for (const ObjectGroup& one : news) known.emplace(one.object, one.group);
  for (Tie& tie : ties_) {
    if (has(tie.other)) continue;
    const auto found = known.find(tie.other);
    if (found != known.end()) tie.group = found->second;
  }
}

GroupObjects::Problem GroupObjects::problem(
    const Machine& part, const std::vector<double>& fixed_seconds,
    const std::function<std::size_t(std::int64_t group)>& level_of) const {
  Problem problem;
  LoadGraph& graph = problem.graph;
  std::size_t known = 0;
  for (const ObjectNote& note : objects_) {
    graph.seconds.push_back(note.seconds);
    graph.bytes.push_back(note.bytes);
    graph.rank.push_back(is_native(note) ? note.rank - places_.first : -1);
    known += is_native(note) ? 1 : 0;
  }
  if (std::ranges::any_of(fixed_seconds, [](double seconds) { return seconds > 0; }))
    graph.background_seconds = fixed_seconds;
  give_newcomers_a_rank(graph, part, known);
  for (const Tie& tie : ties_) {
    const std::uint32_t object = number_.at(tie.object);
    const auto other = number_.find(tie.other);
    if (other == number_.end()) {
      problem.outside.push_back(
          {object, static_cast<std::uint32_t>(level_of(tie.group)), tie.bytes, tie.messages});
    } else if (object < other->second) {
      graph.links.push_back({object, other->second, tie.bytes, tie.messages});
    }
  }
  return problem;
}

}  // namespace roam::placement
