// SPDX-License-Identifier: Apache-2.0
#include "roam/mobile/contribution_phases.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>

#include "roam/core/error.hpp"
#include "roam/mobile/collections.hpp"
#include "roam/mobile/stuck_report.hpp"

namespace roam::mobile {

namespace {

constexpr std::size_t most_named = StuckPhase::most_elements;

std::string phase_name(const ContributionPhases::Key& key) {
  return "phase " + std::to_string(key.first);
}

}  // namespace

std::string Phase::values() const { return std::string(value_) + " by " + std::string(operation_); }

void Phase::put(const std::function<void()>& put_value) {
  try {
    put_value();
  } catch (...) {
    if (failure_.empty()) failure_ = words_of(std::current_exception());
  }
}

void PastPhases::add(const Key& key) {
  const auto& [number, type] = key;
  auto next = last_of_.upper_bound({type, number});
  auto range = next;
  const bool follows = next != last_of_.begin() && (--range)->first.first == type && number > 0 &&
                       range->second >= number - 1;
  if (follows) {
    range->second = std::max(range->second, number);
  } else {
    range = last_of_.emplace_hint(next, std::pair(type, number), number);
  }
  if (next != last_of_.end() && next->first == std::pair(type, range->second + 1)) {
    range->second = next->second;
    last_of_.erase(next);
  }
  if (last_of_.size() > most_ranges) last_of_.erase(last_of_.begin());
}

bool PastPhases::contains(const Key& key) const {
  const auto& [number, type] = key;
  const auto next = last_of_.upper_bound({type, number});
  if (next == last_of_.begin()) return false;
  const auto& [first, last] = *std::prev(next);
  return first.first == type && number <= last;
}

Phase& ContributionPhases::open(const Key& key, Make make) {
  {
    const std::lock_guard guard(lock_);
    const auto found = phases_.find(key);
    if (found != phases_.end()) return *found->second;
  }
  core::Owned<Phase> phase = make();
  const auto positions = static_cast<std::uint32_t>(state_.home().count());
  phase->has_come_.assign(positions, false);
  phase->missing_ = positions;
  phase->reset(positions);
  for (std::uint32_t position = 0; position < positions; ++position) {
    if (!state_.is_gone(position)) continue;
    phase->has_come_[position] = true;
    --phase->missing_;
    phase->put([&] { phase->put_nothing(position); });
  }
  const std::lock_guard guard(lock_);
  return *(phases_[key] = std::move(phase));
}

void ContributionPhases::contribute(const Key& key, Make make, std::uint32_t position,
                                    const std::function<void(Phase&)>& put) {
  if (past_.contains(key)) {
    return state_.collections().engine().report_error(
        "rank " + std::to_string(state_.collections().rank().value()) + ": " +
        state_.describe(position) + " contributed to " + phase_name(key) +
        " again after the phase was reduced; an element contributes once to each phase, and each "
        "phase has a number of its own");
  }
  Phase& phase = open(key, make);
  bool is_second = false;
  {
    const std::lock_guard guard(lock_);
    is_second = phase.has_come_[position];
    if (!is_second) {
      phase.has_come_[position] = true;
      --phase.missing_;
    } else if (phase.came_again_.size() < most_named) {
      phase.came_again_.push_back(position);
    }
  }
  if (!is_second) {
    phase.put([&] { put(phase); });
    return settle(key);
  }
  if (phase.failure_.empty()) {
    phase.failure_ =
        state_.describe(position) + " contributed to " + phase_name(key) + " a second time";
  }
}

void ContributionPhases::ask(const Key& key, Make make, std::shared_ptr<PhaseOperation> reduction) {
  const bool is_over = past_.contains(key);
  Phase* const phase = is_over ? nullptr : &open(key, make);
  if (is_over || phase->reduction_ != nullptr) {
    throw Error(phase_name(key) + " of this type " +
                (is_over ? "has been reduced" : "is being reduced") +
                " already; each phase has a number of its own and is asked for once");
  }
  {
    const std::lock_guard guard(lock_);
    phase->reduction_ = std::move(reduction);
  }
  settle(key);
}

void ContributionPhases::leave_out(std::uint32_t position) {
  std::vector<std::pair<Key, Phase*>> open_ones;  // settling a phase takes it out
  {
    const std::lock_guard guard(lock_);
    for (const auto& [key, phase] : phases_) {
      if (phase->has_come_[position]) continue;
      phase->has_come_[position] = true;
      --phase->missing_;
      open_ones.emplace_back(key, phase.get());
    }
  }
  for (const auto& [key, phase] : open_ones) {
    phase->put([phase = phase, position] { phase->put_nothing(position); });
    settle(key);
  }
}

// A phase is complete, with a result or without: hands it to who asked for it.
void ContributionPhases::settle(const Key& key) {
  core::Owned<Phase> phase;
  {
    const std::lock_guard guard(lock_);
    const auto found = phases_.find(key);
    if (found->second->missing_ > 0 || found->second->reduction_ == nullptr) return;
    phase = std::move(found->second);
    phases_.erase(found);
  }
  past_.add(key);
  if (phase->failure_.empty()) {
    phase->reduction_->take_phase(*phase);
    phase->reduction_->part_over();
  } else {
    phase->reduction_->part_failed(
        0, "rank " + std::to_string(state_.collections().rank().value()) + ": " + phase->failure_);
    if (!phase->came_again_.empty()) keep_failed(key, std::move(phase));
  }
}

void ContributionPhases::keep_failed(const Key& key, core::Owned<Phase> phase) {
  std::weak_ptr<PhaseOperation> reduction = std::exchange(phase->reduction_, nullptr);
  const std::lock_guard guard(lock_);
  std::erase_if(failed_, [](const Failed& failed) { return failed.reduction.expired(); });
  failed_.push_back({key, std::move(phase), std::move(reduction)});
}

void ContributionPhases::add_stuck(StuckFacts& facts) const {
  const std::lock_guard guard(lock_);
  for (const auto& [key, phase] : phases_) {
    if (phase->reduction_ != nullptr) facts.add(describe(key, *phase));
  }
  for (const Failed& failed : failed_) {
    if (!failed.reduction.expired()) facts.add(describe(failed.key, *failed.phase));
  }
}

// Under lock_.
StuckPhase ContributionPhases::describe(const Key& key, const Phase& phase) const {
  StuckPhase stuck;
  stuck.rank = state_.collections().rank().value();
  stuck.class_name = state_.class_name();
  stuck.number = key.first;
  stuck.values = phase.values();
  stuck.elements = phase.has_come_.size();
  stuck.missing_count = phase.missing_;
  for (std::uint32_t position = 0; position < phase.has_come_.size(); ++position) {
    if (phase.has_come_[position]) continue;
    if (stuck.missing.size() < most_named) stuck.missing.push_back(state_.describe(position));
    const auto begin = phases_.lower_bound({key.first, 0});
    for (auto other = begin; other != phases_.end() && other->first.first == key.first; ++other) {
      if (!other->second->has_come_[position] || stuck.others.size() >= most_named) continue;
      stuck.others.push_back({state_.describe(position), other->second->values()});
    }
    if (stuck.missing.size() >= most_named && stuck.others.size() >= most_named) break;
  }
  for (const std::uint32_t position : phase.came_again_)
    stuck.came_again.push_back(state_.describe(position));
  return stuck;
}

}  // namespace roam::mobile
