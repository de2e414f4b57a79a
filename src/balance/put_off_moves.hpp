// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "roam/balance/phase_report.hpp"
#include "roam/placement/detail/gathered_loads.hpp"
#include "roam/placement/distributed.hpp"

namespace roam::balance {

/// The moves that a strategy has proposed and that were put off, because in one phase they gain
/// less than they cost. Whenever the strategy is asked again, they are judged by the loads of the
/// phase that has just ended, which they were not made for. While they would still gain at least
/// half of what new ones do, loads have stayed what they were, and new moves are expected to gain
/// for as many phases to come as have passed since, but for no more than twice as many as when the
/// strategy was asked before: phases in between have not been looked at. So moves are paid for as
/// soon as what was missed without them is about what they cost, and what is lost, by moving too
/// late or by moving although the program ends then, is about as much (the ski rental problem:
/// Karlin et al. 1988). Where loads change from phase to phase, a gain counts for one phase.
///
/// A phase in which something else used a core says nothing about loads: moves are replaced only if
/// they fail twice in a row.
///
/// One per rank. Since when moves have been put off is known to all ranks, but which ones only to
/// those that have proposed some. Used by one thread at a time.
class PutOffMoves {
 public:
  static constexpr std::uint32_t most_phases = 64;

  /// Whether moves have been put off; the same on all ranks.
  [[nodiscard]] bool has_any() const { return since_.has_value(); }
  /// The number of phases, 1 to most_phases, for which moves that are proposed at the end of
  /// `phase` are expected to gain `gain_seconds` each, if those put off would have gained
  /// `kept_gain_seconds` in it.
  [[nodiscard]] std::uint32_t phases_with(double gain_seconds, double kept_gain_seconds,
                                          std::uint32_t phase) const;

  /// What the moves put off would gain in a phase with these loads: the time of the slowest rank,
  /// `max_seconds`, less what it would be if objects were where these moves bring them. Objects
  /// that have gone in the meantime do not count, and others stay where they are.
  [[nodiscard]] double gain(const std::vector<placement::RankLoads>& loads,
                            const placement::GatheredLoads& gathered, double max_seconds) const;
  /// The same for moves that each rank has proposed for its own objects: tells how much work this
  /// rank has if all are moved, as `work_seconds` of its result. To be run on all ranks together.
  [[nodiscard]] std::unique_ptr<placement::DistributedStrategy> judge(
      const placement::RankShare& share) const;

  /// The moves of a decision, before it is known what comes of it.
  void propose(std::vector<placement::ObjectNote> moves) { proposed_ = std::move(moves); }
  /// What came of a decision at the end of a phase; on all ranks. `counts_work`: by a strategy that
  /// gains by work; what others propose is never put off.
  void note(const PhaseReport& report, bool counts_work);

 private:
  std::unordered_map<std::uint64_t, std::int32_t> to_;  // by object, those put off
  std::optional<std::uint32_t> since_;                  // the phase at whose end they were proposed
  std::uint32_t counted_ = 1;  // phases, when they were judged last and had lasted
  bool have_failed_ = false;   // when moves put off were judged last
  std::vector<placement::ObjectNote> proposed_;
};

}  // namespace roam::balance
