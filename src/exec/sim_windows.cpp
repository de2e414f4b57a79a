// SPDX-License-Identifier: Apache-2.0
#include "roam/exec/detail/sim_windows.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "roam/core/detail/prefetch.hpp"

namespace roam::exec {

void SimWindows::add(SimEvent event) {
  if (event.when < end_) {
    if (event.engine == engine_) return add_to_turn(event);
    event.when = end_;
  }
  std::uint32_t& last = last_of(event.when);
  if (last == none || chunks_[last].count == Chunk::size) last = new_chunk(last);
  nodes_[last * Chunk::size + chunks_[last].count++] = {event.when, event.order,      event.engine,
                                                        event.slot, event.generation, none};
}

std::uint32_t SimWindows::new_chunk(std::uint32_t next) {
  std::uint32_t chunk = free_chunk_;
  if (chunk == none) {
    chunk = static_cast<std::uint32_t>(chunks_.size());
    chunks_.emplace_back();
    nodes_.resize(chunks_.size() * Chunk::size);
  } else {
    free_chunk_ = chunks_[chunk].next;
  }
  chunks_[chunk] = {0, next};
  return chunk;
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
  constexpr std::size_t ahead = 8;
  if (const std::uint32_t later = engine_after(ahead); later != none)
    core::prefetch_to_write(&nodes_[waiting_[later].first]);
  for (std::uint32_t i = std::exchange(waiting_[engine_], {}).first; i != none;) {
    const Node& node = nodes_[i];
    add_to_turn({node.when, node.order, node.engine, node.slot, node.generation});
    i = node.next;
  }
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
      const std::uint32_t engine = nodes_[place].engine;
      if (engine >= waiting_.size()) waiting_.resize(std::bit_ceil(engine + std::size_t{1}));
      Waiting& waiting = waiting_[engine];
      if (waiting.first == none) turns_.push_back(engine);
      nodes_[place].next = std::exchange(waiting.first, place);
      if (nodes_[place].slot == SimEvent::arrival_slot) waiting.has_arrival = true;
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
