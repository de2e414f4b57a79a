// SPDX-License-Identifier: Apache-2.0
#include "roam/exec/detail/sim_windows.hpp"

#include <algorithm>
#include <utility>

namespace roam::exec {

void SimWindows::add(SimEvent event) {
  if (event.when < end_) {
    if (event.engine == engine_) {
      turn_.push_back(event);
      std::ranges::push_heap(turn_, SimEvent::later);
      return;
    }
    event.when = end_;
  }
  std::uint32_t& last = last_of(event.when / width_);
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

std::uint32_t& SimWindows::last_of(std::int64_t number) {
  const auto window = windows_.find(number);
  if (window != windows_.end()) return window->second;
  if (spare_.empty()) return windows_.try_emplace(number, none).first->second;
  Windows::node_type fresh = std::move(spare_.back());
  spare_.pop_back();
  fresh.key() = number;
  fresh.mapped() = none;
  return windows_.insert(std::move(fresh)).position->second;
}

bool SimWindows::take(SimEvent& event) {
  if (turn_.empty()) return false;
  std::ranges::pop_heap(turn_, SimEvent::later);
  event = turn_.back();
  turn_.pop_back();
  return true;
}

bool SimWindows::next_turn() {
  if (next_ == window_.size() && !next_window()) return false;
  engine_ = window_[next_].engine;
  for (; next_ < window_.size() && window_[next_].engine == engine_; ++next_)
    turn_.push_back(window_[next_]);
  std::ranges::make_heap(turn_, SimEvent::later);
  return true;
}

bool SimWindows::next_window() {
  if (windows_.empty()) return false;
  Windows::node_type window = windows_.extract(windows_.begin());
  end_ = (window.key() + 1) * width_;
  window_.clear();
  next_ = 0;
  for (std::uint32_t i = window.mapped(); i != none;) {
    window_.push_back(nodes_[i].event);
    i = std::exchange(nodes_[i].next, std::exchange(first_free_, i));
  }
  spare_.push_back(std::move(window));
  std::ranges::sort(window_, {}, &SimEvent::engine);
  return true;
}

}  // namespace roam::exec
