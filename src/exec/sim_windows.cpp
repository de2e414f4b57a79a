// SPDX-License-Identifier: Apache-2.0
#include "roam/exec/detail/sim_windows.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace roam::exec {

void SimWindows::add(SimEvent event) {
  if (event.when < end_) {
    if (event.engine == engine_) return add_to_turn(event);
    event.when = end_;
  }
  std::uint32_t& last = last_of(event.when);
  if (first_free_ == none) {
    nodes_.push_back({event, last});
    last = static_cast<std::uint32_t>(nodes_.size() - 1);
    return;
  }
  const std::uint32_t place = first_free_;
  first_free_ = nodes_[place].next;
  nodes_[place] = {event, last};
  last = place;
}

// A heap by hand: most turns have only one event at a time.
void SimWindows::add_to_turn(const SimEvent& event) {
  if (in_turn_ == turn_.size()) turn_.resize(2 * in_turn_ + 1);
  turn_[in_turn_++] = event;
  if (in_turn_ > 1) std::push_heap(turn_.data(), turn_.data() + in_turn_, SimEvent::later);
}

void SimWindows::put_first_last() {
  if (in_turn_ == 2) return std::swap(turn_[0], turn_[1]);
  std::pop_heap(turn_.data(), turn_.data() + in_turn_, SimEvent::later);
}

std::uint32_t& SimWindows::last_of(std::int64_t when) {
  for (const Recent& recent : recent_)
    if (when >= recent.begin && when < recent.end) return *recent.last;
  const std::int64_t number = when / width_;
  Recent& recent = recent_[static_cast<std::size_t>(number & 1)];
  recent.begin = number * width_;
  recent.end = recent.begin + width_;
  const auto window = windows_.find(number);
  if (window != windows_.end()) {
    recent.last = &window->second;
  } else if (spare_.empty()) {
    recent.last = &windows_.try_emplace(number, none).first->second;
  } else {
    Windows::node_type fresh = std::move(spare_.back());
    spare_.pop_back();
    fresh.key() = number;
    fresh.mapped() = none;
    recent.last = &windows_.insert(std::move(fresh)).position->second;
  }
  return *recent.last;
}

bool SimWindows::next_turn() {
  if (next_ == turns_.size() && !next_window()) return false;
  engine_ = turns_[next_++];
  for (std::uint32_t i = std::exchange(first_[engine_], none); i != none;) {
    add_to_turn(nodes_[i].event);
    i = std::exchange(nodes_[i].next, std::exchange(first_free_, i));
  }
  return true;
}

// The window's events are in one list. Afterwards each engine's are.
bool SimWindows::next_window() {
  if (windows_.empty()) return false;
  Windows::node_type window = windows_.extract(windows_.begin());
  end_ = (window.key() + 1) * width_;
  turns_.clear();
  next_ = 0;
  for (std::uint32_t i = window.mapped(); i != none;) {
    const std::uint32_t engine = nodes_[i].event.engine;
    if (engine >= first_.size()) first_.resize(std::bit_ceil(engine + std::size_t{1}), none);
    if (first_[engine] == none) turns_.push_back(engine);
    i = std::exchange(nodes_[i].next, std::exchange(first_[engine], i));
  }
  spare_.push_back(std::move(window));
  sort_turns();
  return true;
}

void SimWindows::sort_turns() {
  constexpr std::size_t bits = 64;
  marks_.resize(first_.size() / bits + 1);
  if (turns_.size() < marks_.size()) {
    std::ranges::sort(turns_);
    return;
  }
  for (const std::uint32_t engine : turns_)
    marks_[engine / bits] |= std::uint64_t{1} << (engine % bits);
  std::size_t sorted = 0;
  for (std::size_t word = 0; word < marks_.size(); ++word) {
    for (std::uint64_t left = std::exchange(marks_[word], 0); left != 0; left &= left - 1)
      turns_[sorted++] = static_cast<std::uint32_t>(word * bits) +
                         static_cast<std::uint32_t>(std::countr_zero(left));
  }
}

}  // namespace roam::exec
