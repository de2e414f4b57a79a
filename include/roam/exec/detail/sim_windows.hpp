// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "roam/core/types.hpp"

namespace roam::exec {

/// A turn of a worker, or of the communication slot, of one engine.
struct SimEvent {
  std::int64_t when;    // nanoseconds of virtual time
  std::uint64_t order;  // among events at the same instant
  std::uint32_t engine;
  std::uint32_t slot;
  std::uint32_t generation;

  /// For the standard heap functions, which put the greatest on top.
  static bool later(const SimEvent& a, const SimEvent& b) {
    return a.when != b.when ? a.when > b.when : a.order > b.order;
  }
};

/// The events of engines that have no effect on each other within one window of time: window by
/// window, in each of them engine by engine in the order of their numbers, and those of one engine
/// in the order of time. After conservative time windows (Lubachevsky, CACM 32, 1989).
class SimWindows {
 public:
  /// `width` > 0.
  explicit SimWindows(Duration width) : width_(width.count()) {}

  /// In the window under way only for the engine whose turn it is; what comes for another then
  /// happens at the window's end.
  void add(SimEvent event);
  /// It is the next engine's turn, once that of the one before has no more events. False: nobody
  /// has any.
  bool next_turn();
  /// Takes the next event of the engine whose turn it is. False: its turn is over.
  bool take(SimEvent& event);
  [[nodiscard]] std::uint32_t engine() const { return engine_; }
  /// Whose turn is next in this window; the same engine's if nobody's.
  [[nodiscard]] std::uint32_t next_engine() const {
    return next_ < window_.size() ? window_[next_].engine : engine_;
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct Node {
    SimEvent event;
    std::uint32_t next;  // of the same window, or free
  };
  /// The last event added to each window that has not begun.
  using Windows = std::map<std::int64_t, std::uint32_t>;

  bool next_window();
  [[nodiscard]] std::uint32_t& last_of(std::int64_t number);

  const std::int64_t width_;
  Windows windows_;                        // by number
  std::vector<Windows::node_type> spare_;  // for their memory
  std::vector<Node> nodes_;
  std::uint32_t first_free_ = none;
  std::int64_t end_ = 0;          // of the window under way
  std::vector<SimEvent> window_;  // its events, in the order of engines
  std::size_t next_ = 0;          // the first of those of engines that await their turn
  std::uint32_t engine_ = 0;
  std::vector<SimEvent> turn_;  // the engine's events in this window: a heap
};

}  // namespace roam::exec
