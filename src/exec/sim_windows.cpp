// SPDX-License-Identifier: Apache-2.0
#include "roam/exec/detail/sim_windows.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "roam/core/detail/prefetch.hpp"

namespace roam::exec {

std::uint32_t SimWindows::new_chunk(std::uint32_t next) {
  std::uint32_t chunk = free_chunk_;
  if (chunk == none) {
    chunk = static_cast<std::uint32_t>(chunks_.size());
    chunks_.emplace_back();
    events_.resize(chunks_.size() * Chunk::size);
    links_.resize(events_.size());
  } else {
    free_chunk_ = chunks_[chunk].next;
  }
  chunks_[chunk] = {0, next};
  return chunk;
}

void SimWindows::close_gap() {
  const SimEvent& last = turn_[in_turn_];
  std::size_t place = 0;
  for (std::size_t child = 1; child < in_turn_; child = 2 * place + 1) {
    if (child + 1 < in_turn_ && SimEvent::later(turn_[child], turn_[child + 1])) ++child;
    if (!SimEvent::later(last, turn_[child])) break;
    turn_[place] = turn_[child];
    place = child;
  }
  turn_[place] = last;
}

std::uint32_t& SimWindows::look_up_last_of(std::int64_t when) {
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
  constexpr std::size_t ahead = 8;
  if (const std::uint32_t later = engine_after(ahead); later != none)
    core::prefetch_to_write(&events_[waiting_[later].first]);
  for (std::uint32_t i = std::exchange(waiting_[engine_], {}).first; i != none; i = links_[i])
    add_to_turn(events_[i]);
  return true;
}

bool SimWindows::next_window() {
  if (windows_.empty()) return false;
  free_chunks();
  Windows::node_type window = windows_.extract(windows_.begin());
  end_ = (window.key() + 1) * width_;
  present_chunk_ = window.mapped();
  spare_.push_back(std::move(window));
  turns_.clear();
  next_ = 0;
  for (std::uint32_t chunk = present_chunk_; chunk != none; chunk = chunks_[chunk].next) {
    for (std::uint32_t i = 0; i < chunks_[chunk].count; ++i) {
      const std::uint32_t place = chunk * Chunk::size + i;
      const std::uint32_t engine = events_[place].engine;
      if (engine >= waiting_.size()) waiting_.resize(std::bit_ceil(engine + std::size_t{1}));
      Waiting& waiting = waiting_[engine];
      if (waiting.first == none) turns_.push_back(engine);
      links_[place] = std::exchange(waiting.first, place);
      if (events_[place].slot == SimEvent::arrival_slot) waiting.has_arrival = true;
    }
  }
  sort_turns();
  return true;
}

// Those of the window that is over.
void SimWindows::free_chunks() {
  while (present_chunk_ != none)
    present_chunk_ =
        std::exchange(chunks_[present_chunk_].next, std::exchange(free_chunk_, present_chunk_));
}

void SimWindows::sort_turns() {
  constexpr std::size_t bits = 64;
  marks_.resize(waiting_.size() / bits + 1);
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
