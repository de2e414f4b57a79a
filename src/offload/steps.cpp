// SPDX-License-Identifier: Apache-2.0
#include "steps.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "roam/core/error.hpp"
#include "roam/core/serialise.hpp"
#include "roam/topology/detail/place.hpp"

namespace roam::offload {

namespace {

template <class T>
void append(std::vector<T>& all, std::vector<T>&& more) {
  if (all.empty()) {
    all = std::move(more);
  } else {
    all.insert(all.end(), more.begin(), more.end());
  }
}

// Merges the entries of each victim, reason and pair.
void merge_emergencies(std::vector<Emergency>& emergencies) {
  const auto what = [](const Emergency& one) {
    return std::tuple(one.victim, one.reason, one.from);
  };
  std::ranges::sort(emergencies, {}, what);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < emergencies.size(); ++i) {
    if (kept > 0 && what(emergencies[kept - 1]) == what(emergencies[i])) {
      emergencies[kept - 1].times += emergencies[i].times;
    } else {
      emergencies[kept++] = emergencies[i];
    }
  }
  emergencies.resize(kept);
}

void add_waits(std::vector<Wait>& waits, const std::vector<Wait>& more) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> places;
  for (std::size_t i = 0; i < waits.size(); ++i) places[{waits[i].from, waits[i].to}] = i;
  for (const Wait& one : more) {
    const auto [place, is_new] = places.try_emplace({one.from, one.to}, waits.size());
    if (is_new) {
      waits.push_back(one);
    } else {
      waits[place->second].seconds += one.seconds;
    }
  }
}

}  // namespace

void Steps::Gathered::join(Gathered&& other) {
  append(ranks, std::move(other.ranks));
  append(waits, std::move(other.waits));
  append(awaited_waits, std::move(other.awaited_waits));
  append(outside_waits, std::move(other.outside_waits));
  append(emergencies, std::move(other.emergencies));
  append(flows, std::move(other.flows));
  append(hosts, std::move(other.hosts));
  merge_emergencies(emergencies);
  ++reports;
}

Steps::Steps(am::Messenger& messenger, HomeTasks& tasks, Guests& guests, TaskRequests& requests,
             DecidingRanks::MakeStrategy make_strategy, bool keeps_graphs, MachineGroups groups)
    : messenger_(messenger),
      tasks_(tasks),
      requests_(requests),
      tree_(messenger.rank(), messenger.size()),
      awaited_(messenger),
      meter_(messenger.engine(), tasks, guests),
      records_(keeps_graphs),
      late_own_data_(make_strategy ? static_cast<std::size_t>(messenger.size()) : 0),
      helpers_(messenger, tasks, guests) {
  if (make_strategy)
    deciders_.emplace(std::move(make_strategy), messenger.size(), std::move(groups));
  messenger.bind<&Steps::on_report>(*this);
  messenger.bind<&Steps::on_verdict>(*this);
}

void Steps::waited_for(Rank whom, Duration worker_time) {
  const std::lock_guard guard(mutex_);
  said_waits_[whom.value()] += worker_time;
}

void Steps::waited_outside_for(Rank whom, Duration worker_time) {
  const std::lock_guard guard(mutex_);
  outside_waits_[whom.value()] += worker_time;
}

void Steps::next_step() {
  Gathered own;
  own.flows = tasks_.begin_step();
  requests_.begin_step();
  std::uint64_t step = 0;
  {
    const std::lock_guard guard(mutex_);
    if (next_step_ >= decided_ + most_undecided) return;
    step = next_step_++;
    own.ranks.push_back(meter_.take(messenger_.rank()));
    const auto move_to = [this](std::vector<Wait>& waits, WaitsByRank& by_rank) {
      for (const auto& [whom, time] : std::exchange(by_rank, {}))
        waits.push_back({messenger_.rank().value(), whom, static_cast<float>(seconds(time))});
    };
    move_to(own.waits, said_waits_);
    move_to(own.outside_waits, outside_waits_);
  }
  if (step == 0) awaited_.start();
  own.awaited_waits = awaited_.take();
  own.emergencies = tasks_.take_emergencies();
  if (step == 0 && !messenger_.engine().clock().is_virtual())
    own.hosts.push_back({topology::host_of_this_process(), messenger_.rank().value()});
  add(step, std::move(own));
}

void Steps::on_report(const StepReport& head, am::Incoming&& rest) {
  core::Unpacker bytes(rest.payload());
  auto part = core::unpack_all<Gathered>(bytes);
  const auto is_rank = [this](std::int32_t rank) { return rank >= 0 && rank < messenger_.size(); };
  const auto is_victim = [this](std::int32_t rank) {
    return rank >= 0 && rank < messenger_.size_with_helpers();
  };
  for (const RankStep& one : part.ranks) {
    if (!is_rank(one.rank)) throw MalformedMessage("a step of a rank that there is not");
  }
  for (const auto* const waits : {&part.waits, &part.awaited_waits, &part.outside_waits}) {
    for (const Wait& one : *waits)
      if (!is_rank(one.from) || !is_rank(one.to)) throw MalformedMessage("a wait for no rank");
  }
  for (const Emergency& one : part.emergencies) {
    if (!is_victim(one.victim) || (one.from != -1 && !is_rank(one.from)) ||
        static_cast<std::size_t>(one.reason) >= emergency_reasons)
      throw MalformedMessage("an emergency of no rank");
  }
  for (const RankHost& one : part.hosts) {
    if (!is_rank(one.rank)) throw MalformedMessage("the host of a rank that there is not");
  }
  for (const Flow& one : part.flows) {
    if (!is_rank(one.from) || !is_victim(one.to)) throw MalformedMessage("a flow to no rank");
  }
  add(head.step, std::move(part));
}

void Steps::add(std::uint64_t step, Gathered&& part) {
  Gathered all;
  {
    const std::lock_guard guard(mutex_);
    // Not a step that can be open.
    if (step < decided_ || step > decided_ + 2 * most_undecided) return;
    Gathered& place = gathered_[step];
    place.join(std::move(part));
    if (place.reports < tree_.children().size() + 1) return;
    all = std::move(place);
    gathered_.erase(step);
  }
  if (tree_.parent()) {
    pass_up(step, all);
  } else {
    decide(step, std::move(all));
  }
}

void Steps::pass_up(std::uint64_t step, const Gathered& all) {
  auto message = messenger_.begin(StepReport{step}, all.ranks.size() * sizeof(RankStep));
  core::pack(message.packer(), all);
  messenger_.post(*tree_.parent(), std::move(message));
}

void Steps::decide(std::uint64_t step, Gathered&& all) {
  const std::lock_guard deciding(deciding_);
  std::sort(all.ranks.begin(), all.ranks.end(),
            [](const RankStep& a, const RankStep& b) { return a.rank < b.rank; });
  std::vector<Wait> for_single_ranks = all.waits.empty() ? all.awaited_waits : all.waits;
  add_waits(for_single_ranks, all.outside_waits);
  append(all.emergencies, late_own_data_.add(all.ranks, for_single_ranks));
  if (!all.hosts.empty()) deciders_->set_hosts(std::move(all.hosts));
  // Waits that ranks have reported take precedence.
  const bool are_waits_said = !all.waits.empty();
  add_helpers(all, are_waits_said);
  if (!are_waits_said) all.waits = measured_waits(all.ranks, all.awaited_waits);
  add_waits(all.waits, all.outside_waits);
  Strategy& strategy = deciders_->strategy();
  const StepView view{step, all.ranks, all.waits, all.emergencies, all.flows, deciders_->groups()};
  Verdict verdict{strategy.decide(view), {}};
  for (Quota& quota : verdict.quotas) quota.to = deciders_->rank_of(quota.to);
  std::erase_if(verdict.quotas,
                [this](const Quota& quota) { return quota.from >= messenger_.size(); });
  for (const Blacklisted& one : strategy.blacklisted())
    if (one.rank < messenger_.size()) verdict.excluded.push_back(one.rank);
  records_.add(view, strategy, messenger_.engine().now(),
               [this](std::int32_t number) { return Rank(deciders_->rank_of(number)); });
  helpers_.ask();
  bring_down({step, strategy.tasks_on_request()}, verdict);
}

// A helper has no load of its own. If programs say for whom they wait, it waits like ranks that do
// not.
void Steps::add_helpers(Gathered& all, bool are_waits_said) {
  const std::vector<HelperRanks::Measured> helpers = helpers_.measured();
  deciders_->set_helpers(helpers);
  deciders_->number(all.emergencies);
  deciders_->number(all.flows);
  for (const HelperRanks::Measured& one : helpers) {
    all.ranks.push_back(one.step);
    all.ranks.back().rank = *deciders_->number_of(one.step.rank);
  }
  if (!are_waits_said || helpers.empty()) return;
  for (const Wait& wait : measured_waits(all.ranks, all.awaited_waits))
    if (wait.from >= messenger_.size()) all.waits.push_back(wait);
}

void Steps::on_verdict(const StepVerdict& head, am::Incoming&& rest) {
  core::Unpacker bytes(rest.payload());
  const auto verdict = core::unpack_all<Verdict>(bytes);
  const auto is_rank = [this](std::int32_t rank) { return rank >= 0 && rank < messenger_.size(); };
  for (const Quota& one : verdict.quotas) {
    const bool is_victim = one.to >= 0 && one.to < messenger_.size_with_helpers();
    if (!is_rank(one.from) || !is_victim || one.from == one.to)
      throw MalformedMessage("a quota of no rank");
  }
  if (!std::ranges::all_of(verdict.excluded, is_rank))
    throw MalformedMessage("a rank that there is not may not ask for tasks");
  bring_down(head, verdict);
}

void Steps::bring_down(const StepVerdict& head, const Verdict& verdict) {
  const std::int32_t self = messenger_.rank().value();
  Verdict own;
  std::unordered_map<std::int32_t, Verdict> below;
  const auto place_of = [&](std::int32_t rank) -> Verdict& {
    return rank == self ? own : below[child_towards(Rank(rank)).value()];
  };
  for (const Quota& quota : verdict.quotas) place_of(quota.from).quotas.push_back(quota);
  for (const std::int32_t rank : verdict.excluded) place_of(rank).excluded.push_back(rank);
  for (const Rank child : tree_.children()) {
    auto message = messenger_.begin(StepVerdict(head));
    core::pack(message.packer(), below[child.value()]);
    messenger_.post(child, std::move(message));
  }
  {
    const std::lock_guard guard(mutex_);
    if (head.step < decided_) return;
    decided_ = head.step + 1;
    gathered_.erase(gathered_.begin(), gathered_.lower_bound(decided_));
  }
  tasks_.set_quotas(own.quotas, head.on_request);
  requests_.allow(head.on_request > 0 && own.excluded.empty());
}

Rank Steps::child_towards(Rank rank) const {
  Rank below = rank;
  for (;;) {
    const auto parent = core::RankTree(below, messenger_.size()).parent();
    if (!parent) throw MalformedMessage("a quota of a rank that is not below");
    if (*parent == messenger_.rank()) return below;
    below = *parent;
  }
}

std::uint64_t Steps::decided() const {
  const std::lock_guard guard(mutex_);
  return decided_;
}

}  // namespace roam::offload
