// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "roam/flow/detail/access.hpp"
#include "roam/flow/failure.hpp"

namespace roam::flow {

/// @cond
/// The accesses to an instance of which parts are used. The index range is divided into segments at
/// the ends of all ranges that occur; each segment has a group that uses it and a line that waits,
/// like an instance as a whole. Everything is called under the instance's lock; enter() by the
/// scope's thread.
class PartLine {
 public:
  /// All is closed until open(): accesses that came before, without parts, are still in the
  /// instance's own line, and behind them gate().
  explicit PartLine(Instance& instance);
  PartLine(const PartLine&) = delete;
  PartLine& operator=(const PartLine&) = delete;

  /// By this access the line uses the instance, alone.
  [[nodiscard]] Access& gate() { return gate_; }
  void open(AccessList& let_in);
  /// True if nobody uses it.
  [[nodiscard]] bool is_empty() const { return uses_ == 0; }

  /// Returns true if the access may begin now.
  [[nodiscard]] bool enter(PartUse& use);
  /// Enters an access to all of it.
  [[nodiscard]] bool enter_whole(Access& access, Effect group, PartUse*& use);
  void leave(PartUse& use, AccessList& let_in);
  /// Takes back what enter_whole() has made.
  void recycle(PartUse& use) { free_.push_back(&use); }

 private:
  struct Segment {
    Effect group = Effect::read;
    std::uint32_t active = 0;
    std::vector<PartUse*> waiting;
  };
  using Segments = std::map<std::size_t, Segment>;  // by their beginnings; each ends at the next
  [[nodiscard]] Segments::iterator divide(std::size_t at);
  [[nodiscard]] std::pair<Segments::iterator, Segments::iterator> segments_of(const PartUse& use);
  static void let_in_next(Segment& segment, AccessList& let_in);
  void join_idle();

  Segments segments_;
  std::size_t most_segments_;
  std::size_t uses_ = 0;
  PartUse before_;  // stands for what uses the instance before the gate opens
  Access gate_;
  std::deque<PartUse> whole_;
  std::vector<PartUse*> free_;  // of whole_
};

/// Which parts of a datum have failed.
class PartFailures {
 public:
  struct One {
    PartUse range;
    FailureRef failure;
  };
  void add(const PartUse& range, const FailureRef& failure);
  /// The failure at the lowest index of the range that has one; at one index, the oldest.
  [[nodiscard]] FailureRef first(const PartUse& range) const;
  [[nodiscard]] const std::vector<One>& all() const { return all_; }

 private:
  std::vector<One> all_;
};
/// @endcond

}  // namespace roam::flow
