// SPDX-License-Identifier: Apache-2.0
#include "rank_parts.hpp"

#include <algorithm>
#include <utility>

#include "roam/runtime/runtime.hpp"
#include "runtime/last_records.hpp"

namespace roam {

namespace {

// Constant-initialised, so it is ready before the first registrar, and not written after static
// initialisation.
constinit const RankPartRegistrar* newest_part = nullptr;

}  // namespace

RankPartRegistrar::RankPartRegistrar(RankPartKind kind)
    : kind_(std::move(kind)), next_(std::exchange(newest_part, this)) {}

std::vector<const RankPartKind*> RankPartRegistrar::kinds() {
  std::vector<const RankPartKind*> kinds;
  for (const RankPartRegistrar* one = newest_part; one != nullptr; one = one->next_)
    kinds.push_back(&one->kind_);
  std::ranges::sort(kinds, {}, &RankPartKind::name);
  return kinds;
}

RankParts::RankParts(Runtime& runtime) : runtime_(runtime) {
  for (const RankPartKind* kind : RankPartRegistrar::kinds()) {
    if (auto part = kind->make(runtime)) parts_.push_back(std::move(part));
  }
}

void RankParts::start() {
  for (const auto& part : parts_) part->start();
}

void RankParts::finish(std::function<void()> done) { finish_from(0, std::move(done)); }

void RankParts::finish_from(std::size_t index, std::function<void()> done) {
  if (index == parts_.size()) return done();
  parts_[index]->finish([this, index, then = std::move(done)] { finish_from(index + 1, then); });
}

void RankParts::leave_records(LastRecords& records, bool is_at_rest) {
  for (const auto& part : parts_) {
    try {
      part->leave_records(records, is_at_rest);
    } catch (const std::exception& error) {
      records.add_problem(error.what());
    }
  }
}

void RankParts::begin_measurement() {
  for (const auto& part : parts_) part->begin_measurement();
}

void RankParts::end_measurement() {
  for (const auto& part : parts_) part->end_measurement();
}

void RankParts::add_statistics(Counters& counters) const {
  for (const auto& part : parts_) part->add_statistics(counters);
}

void RankParts::add_to_trace(trace::RankTrace& trace) const {
  for (const auto& part : parts_) part->add_to_trace(trace);
}

void RankParts::add_stuck_facts(mobile::StuckFacts& facts) const {
  const std::string rank = "rank " + std::to_string(runtime_.rank().value()) + ": ";
  for (const auto& part : parts_) {
    for (const std::string& line : part->stuck_facts()) facts.add_note(rank + line);
  }
}

}  // namespace roam
