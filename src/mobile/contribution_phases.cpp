// SPDX-License-Identifier: Apache-2.0
#include "roam/mobile/detail/contribution_phases.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "mobile/past_phases.hpp"
#include "roam/core/error.hpp"
#include "roam/mobile/detail/collections.hpp"
#include "roam/mobile/detail/stuck_report.hpp"

namespace roam::mobile {

namespace {

constexpr std::size_t most_named = StuckPhase::most_elements;

std::string phase_name(const ContributionPhases::Key& key) {
  return "phase " + std::to_string(key.first);
}

}  // namespace

/// The state of a phase.
struct Phase::Tally {
  // Under the lock of the phases:
  std::vector<bool> has_come;  // by position
  std::uint32_t missing = 0;
  std::vector<std::uint32_t> came_again;      // the first positions that contributed twice
  std::shared_ptr<PhaseOperation> reduction;  // the reduction that wants it, once it has been set
  // Used in the steps of work only: why there will be no result; empty: there may be one.
  std::string failure;
};

/// The phases of one collection on this rank.
struct ContributionPhases::Kept {
  /// A phase in which an element contributed twice. It has no result on this rank and is stored as
  /// long as its reduction waits for other ranks.
  struct Failed {
    Key key;
    core::Owned<Phase> phase;
    std::weak_ptr<PhaseOperation> reduction;
  };
  std::map<Key, core::Owned<Phase>> phases;  // under lock_
  std::vector<Failed> failed;                // under lock_
  PastPhases past;                           // used in the steps of work only
};

Phase::Phase(std::string_view value, std::string_view operation)
    : value_(value), operation_(operation), tally_(core::make_owned<Tally>()) {}

Phase::~Phase() = default;

ContributionPhases::ContributionPhases(CollectionState& state)
    : state_(state), kept_(core::make_owned<Kept>()) {}

ContributionPhases::~ContributionPhases() = default;

std::string Phase::values() const { return std::string(value_) + " by " + std::string(operation_); }

void Phase::put(const std::function<void()>& put_value) {
  try {
    put_value();
  } catch (...) {
    if (tally_->failure.empty()) tally_->failure = words_of(std::current_exception());
  }
}

Phase& ContributionPhases::open(const Key& key, Make make) {
  {
    const std::lock_guard guard(lock_);
    const auto found = kept_->phases.find(key);
    if (found != kept_->phases.end()) return *found->second;
  }
  core::Owned<Phase> phase = make();
  const auto positions = static_cast<std::uint32_t>(state_.home().count());
  phase->tally_->has_come.assign(positions, false);
  phase->tally_->missing = positions;
  phase->reset(positions);
  for (std::uint32_t position = 0; position < positions; ++position) {
    if (!state_.is_gone(position)) continue;
    phase->tally_->has_come[position] = true;
    --phase->tally_->missing;
    phase->put([&] { phase->put_nothing(position); });
  }
  const std::lock_guard guard(lock_);
  return *(kept_->phases[key] = std::move(phase));
}

void ContributionPhases::contribute(const Key& key, Make make, std::uint32_t position,
                                    const std::function<void(Phase&)>& put) {
  if (kept_->past.contains(key)) {
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
    is_second = phase.tally_->has_come[position];
    if (!is_second) {
      phase.tally_->has_come[position] = true;
      --phase.tally_->missing;
    } else if (phase.tally_->came_again.size() < most_named) {
      phase.tally_->came_again.push_back(position);
    }
  }
  if (!is_second) {
    phase.put([&] { put(phase); });
    return settle(key);
  }
  if (phase.tally_->failure.empty()) {
    phase.tally_->failure =
        state_.describe(position) + " contributed to " + phase_name(key) + " a second time";
  }
}

void ContributionPhases::ask(const Key& key, Make make, std::shared_ptr<PhaseOperation> reduction) {
  const bool is_over = kept_->past.contains(key);
  Phase* const phase = is_over ? nullptr : &open(key, make);
  if (is_over || phase->tally_->reduction != nullptr) {
    throw Error(phase_name(key) + " of this type " +
                (is_over ? "has been reduced" : "is being reduced") +
                " already; each phase has a number of its own and is asked for once");
  }
  {
    const std::lock_guard guard(lock_);
    phase->tally_->reduction = std::move(reduction);
  }
  settle(key);
}

void ContributionPhases::leave_out(std::uint32_t position) {
  std::vector<std::pair<Key, Phase*>> open_ones;  // a list, because settle() removes a phase
  {
    const std::lock_guard guard(lock_);
    for (const auto& [key, phase] : kept_->phases) {
      if (phase->tally_->has_come[position]) continue;
      phase->tally_->has_come[position] = true;
      --phase->tally_->missing;
      open_ones.emplace_back(key, phase.get());
    }
  }
  for (const auto& [key, phase] : open_ones) {
    phase->put([phase = phase, position] { phase->put_nothing(position); });
    settle(key);
  }
}

// Called when a phase is complete, with a result or without: gives it to the reduction that wants
// it.
void ContributionPhases::settle(const Key& key) {
  core::Owned<Phase> phase;
  {
    const std::lock_guard guard(lock_);
    const auto found = kept_->phases.find(key);
    if (found->second->tally_->missing > 0 || found->second->tally_->reduction == nullptr) return;
    phase = std::move(found->second);
    kept_->phases.erase(found);
  }
  kept_->past.add(key);
  if (phase->tally_->failure.empty()) {
    phase->tally_->reduction->take_phase(*phase);
    phase->tally_->reduction->part_over();
  } else {
    phase->tally_->reduction->part_failed(
        0, "rank " + std::to_string(state_.collections().rank().value()) + ": " +
               phase->tally_->failure);
    if (!phase->tally_->came_again.empty()) keep_failed(key, std::move(phase));
  }
}

void ContributionPhases::keep_failed(const Key& key, core::Owned<Phase> phase) {
  std::weak_ptr<PhaseOperation> reduction = std::exchange(phase->tally_->reduction, nullptr);
  const std::lock_guard guard(lock_);
  std::erase_if(kept_->failed,
                [](const Kept::Failed& failed) { return failed.reduction.expired(); });
  kept_->failed.push_back({key, std::move(phase), std::move(reduction)});
}

void ContributionPhases::add_stuck(StuckFacts& facts) const {
  const std::lock_guard guard(lock_);
  for (const auto& [key, phase] : kept_->phases) {
    if (phase->tally_->reduction != nullptr) facts.add(describe(key, *phase));
  }
  for (const Kept::Failed& failed : kept_->failed) {
    if (!failed.reduction.expired()) facts.add(describe(failed.key, *failed.phase));
  }
}

// Called under lock_.
StuckPhase ContributionPhases::describe(const Key& key, const Phase& phase) const {
  StuckPhase stuck;
  stuck.rank = state_.collections().rank().value();
  stuck.class_name = state_.class_name();
  stuck.number = key.first;
  stuck.values = phase.values();
  stuck.elements = phase.tally_->has_come.size();
  stuck.missing_count = phase.tally_->missing;
  for (std::uint32_t position = 0; position < phase.tally_->has_come.size(); ++position) {
    if (phase.tally_->has_come[position]) continue;
    if (stuck.missing.size() < most_named) stuck.missing.push_back(state_.describe(position));
    const auto begin = kept_->phases.lower_bound({key.first, 0});
    for (auto other = begin; other != kept_->phases.end() && other->first.first == key.first;
         ++other) {
      if (!other->second->tally_->has_come[position] || stuck.others.size() >= most_named) continue;
      stuck.others.push_back({state_.describe(position), other->second->values()});
    }
    if (stuck.missing.size() >= most_named && stuck.others.size() >= most_named) break;
  }
  for (const std::uint32_t position : phase.tally_->came_again)
    stuck.came_again.push_back(state_.describe(position));
  return stuck;
}

}  // namespace roam::mobile
