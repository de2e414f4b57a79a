// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "roam/core/types.hpp"

namespace roam::exec {

/// A turn of a worker, or of the communication slot, of one engine.
struct SimEvent {
  std::int64_t when;    // nanoseconds of virtual time
  std::uint64_t order;  // decides among events at the same instant
  std::uint32_t engine;
  std::uint32_t slot;
  std::uint32_t generation;

  /// Stands for the communication slot, whose number depends on the engine: an arrival's engine is
  /// not looked at before the arrival's time.
  static constexpr std::uint32_t arrival_slot = ~std::uint32_t{0};
  /// The order for the standard heap functions, which put the greatest element on top.
  static bool later(const SimEvent& a, const SimEvent& b) {
    return a.when != b.when ? a.when > b.when : a.order > b.order;
  }
};

/// The events of engines that do not affect each other within one window of time. Events are taken
/// window by window, within a window engine by engine in the order of their numbers, and those of
/// one engine in the order of time. After conservative time windows (Lubachevsky, CACM 32, 1989).
class SimWindows {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  /// Requires width > 0.
  explicit SimWindows(Duration width) : width_(width.count()) {}

  /// Adds an event. Only the engine whose turn it is gets it in the present window; an event for
  /// another engine is put off to the window's end.
  // Inlined, as far as most events go: a copy of an event whose members have just been written one
  // by one would have to wait until they are in the cache.
  [[gnu::always_inline]] void add(const SimEvent& event) {
    if (event.when < end_ && event.engine == engine_) return add_to_turn(event);
    // An event for another engine's past is put off.
    const std::int64_t when = event.when < end_ ? end_ : event.when;
    std::uint32_t& last = last_of(when);
    if (last == none || chunks_[last].count == Chunk::size) last = new_chunk(last);
    const std::uint32_t place = last * Chunk::size + chunks_[last].count++;
    events_[place] = {when, event.order, event.engine, event.slot, event.generation};
  }
  /// True if all engines have had their turns in the present window.
  [[nodiscard]] bool is_over() const { return next_ == turns_.size() && in_turn_ == 0; }
  /// When the next window with events begins; never if there is none.
  [[nodiscard]] Instant next_begin() const {
    return windows_.empty() ? never : Instant(windows_.begin()->first * width_);
  }
  /// Passes the turn to the next engine, once the one before has no more events. False if no engine
  /// has any.
  bool next_turn();
  /// Takes the next event of the engine whose turn it is. False if its turn is over.
  bool take(SimEvent& event) {
    if (in_turn_ == 0) return false;
    event = turn_[0];
    if (--in_turn_ > 0) close_gap();
    return true;
  }
  [[nodiscard]] std::uint32_t engine() const { return engine_; }
  /// The engine whose turn comes so many turns later in this window (1: the next one); `none` if no
  /// engine's does.
  [[nodiscard]] std::uint32_t engine_after(std::size_t turns) const {
    return next_ + turns <= turns_.size() ? turns_[next_ + turns - 1] : none;
  }
  /// True if something arrives in the next turn of this engine of the present window.
  [[nodiscard]] bool has_arrival(std::uint32_t engine) const {
    return waiting_[engine].has_arrival;
  }

 private:
  /// Memory for some events of one window, which follow one another.
  struct Chunk {
    static constexpr std::uint32_t size = 32;
    std::uint32_t count = 0;
    std::uint32_t next = none;  // the next chunk of the same window, or the next free one
  };
  /// For each window that has not begun, its last chunk.
  using Windows = std::map<std::int64_t, std::uint32_t>;
  /// A window that has been looked up: most events are added to one of two neighbours.
  struct Recent {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::uint32_t* last = nullptr;
  };
  /// The events of an engine that awaits its turn.
  struct Waiting {
    std::uint32_t first = none;
    bool has_arrival = false;
  };

  [[gnu::always_inline]] void add_to_turn(const SimEvent& event) {
    if (in_turn_ == turn_.size()) turn_.resize(2 * in_turn_ + 1);
    std::size_t place = in_turn_++;
    for (; place > 0 && SimEvent::later(turn_[(place - 1) / 2], event); place = (place - 1) / 2)
      turn_[place] = turn_[(place - 1) / 2];
    turn_[place] = event;
  }
  /// Removes the first event of the turn, which has been taken, from the heap.
  void close_gap();
  bool next_window();
  void free_chunks();
  void sort_turns();
  [[nodiscard]] std::uint32_t& last_of(std::int64_t when) {
    for (const Recent& recent : recent_)
      if (when >= recent.begin && when < recent.end) return *recent.last;
    return look_up_last_of(when);
  }
  [[nodiscard]] std::uint32_t& look_up_last_of(std::int64_t when);
  [[nodiscard]] std::uint32_t new_chunk(std::uint32_t next);

  const std::int64_t width_;
  Windows windows_;                        // by window number
  std::vector<Windows::node_type> spare_;  // nodes held for reuse of their memory
  std::array<Recent, 2> recent_;           // by the lowest bit of the window's number
  std::vector<Chunk> chunks_;
  std::vector<SimEvent> events_;      // Chunk::size for each chunk
  std::vector<std::uint32_t> links_;  // for each of them: the next event of the same engine
  std::uint32_t free_chunk_ = none;
  std::uint32_t present_chunk_ = none;  // of the present window
  std::int64_t end_ = 0;                // the end of the present window
  std::vector<std::uint32_t> turns_;    // the engines with events in the present window, in order
  std::size_t next_ = 0;                // index of the first of those that await their turn
  std::vector<Waiting> waiting_;        // by engine
  std::vector<std::uint64_t> marks_;    // used to sort turns_: a bit for each engine
  std::uint32_t engine_ = 0;
  std::vector<SimEvent> turn_;  // its first in_turn_ ones: the present engine's events, as a heap
  std::size_t in_turn_ = 0;
};

}  // namespace roam::exec
