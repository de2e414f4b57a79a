// SPDX-License-Identifier: Apache-2.0
#include "roam/flow/detail/part_line.hpp"

#include <algorithm>

namespace roam::flow {

namespace {

// Segments that nobody uses are joined when there are more than this, or than twice as many as the
// last time.
constexpr std::size_t few_segments = 64;

}  // namespace

PartLine::PartLine(Instance& instance) : most_segments_(few_segments) {
  before_.group = Effect::modify;
  Segment& all = segments_[0];
  all.group = before_.group;
  all.active = 1;
  uses_ = 1;
  gate_.effect = Effect::parts;
  gate_.is_border = true;
  gate_.instance = &instance;
  gate_.has_instance = true;
}

void PartLine::open(AccessList& let_in) { leave(before_, let_in); }

// The segment that begins at `at`, which is made by dividing another. Whoever uses or waits for
// that one does so with both halves.
PartLine::Segments::iterator PartLine::divide(std::size_t at) {
  const auto next = segments_.upper_bound(at);
  const auto found = std::prev(next);
  if (found->first == at) return found;
  for (PartUse* const waiting : found->second.waiting) ++waiting->waits;
  return segments_.emplace_hint(next, at, found->second);
}

std::pair<PartLine::Segments::iterator, PartLine::Segments::iterator> PartLine::segments_of(
    const PartUse& use) {
  const auto first = divide(use.begin);
  return {first, use.end == PartUse::whole_end ? segments_.end() : divide(use.end)};
}

bool PartLine::enter(PartUse& use) {
  if (segments_.size() > most_segments_) join_idle();
  ++uses_;
  const auto [first, end] = segments_of(use);
  for (auto at = first; at != end; ++at) {
    Segment& segment = at->second;
    const bool is_open =
        segment.active == 0 || (is_shared(use.group) && use.group == segment.group);
    if (segment.waiting.empty() && is_open) {
      ++segment.active;
      segment.group = use.group;
    } else {
      segment.waiting.push_back(&use);
      ++use.waits;
    }
  }
  return use.waits == 0;
}

bool PartLine::enter_whole(Access& access, Effect group, PartUse*& use) {
  if (free_.empty()) free_.push_back(&whole_.emplace_back());
  use = free_.back();
  free_.pop_back();
  use->access = &access;
  use->group = group;
  return enter(*use);
}

void PartLine::leave(PartUse& use, AccessList& let_in) {
  --uses_;
  const auto [first, end] = segments_of(use);
  for (auto at = first; at != end; ++at) {
    if (--at->second.active == 0) let_in_next(at->second, let_in);
  }
}

void PartLine::let_in_next(Segment& segment, AccessList& let_in) {
  std::vector<PartUse*>& waiting = segment.waiting;
  if (waiting.empty()) return;
  segment.group = waiting.front()->group;
  std::size_t count = 0;
  do {
    PartUse& use = *waiting[count++];
    ++segment.active;
    if (--use.waits == 0) let_in.push_back(*use.access);
  } while (count < waiting.size() && is_shared(segment.group) &&
           waiting[count]->group == segment.group);
  waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(count));
}

void PartLine::join_idle() {
  const auto is_idle = [](const Segment& segment) {
    return segment.active == 0 && segment.waiting.empty();
  };
  for (auto at = std::next(segments_.begin()); at != segments_.end();) {
    at =
        is_idle(at->second) && is_idle(std::prev(at)->second) ? segments_.erase(at) : std::next(at);
  }
  most_segments_ = std::max(few_segments, 2 * segments_.size());
}

}  // namespace roam::flow
