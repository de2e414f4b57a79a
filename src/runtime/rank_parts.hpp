// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "roam/mobile/detail/stuck_report.hpp"
#include "roam/runtime/detail/rank_part.hpp"

namespace roam {

/// The parts of one rank that other rooms or the program have registered.
class RankParts {
 public:
  /// Makes one part of each kind that the rank's options ask for. If this throws, the rank does not
  /// start.
  explicit RankParts(Runtime& runtime);

  void start();
  /// Ends all parts; `done` is called after the last one.
  void finish(std::function<void()> done);
  void leave_records(LastRecords& records, bool is_at_rest);
  void begin_measurement();
  void end_measurement();
  void add_statistics(Counters& counters) const;
  void add_to_trace(trace::RankTrace& trace) const;
  void add_stuck_facts(mobile::StuckFacts& facts) const;

 private:
  void finish_from(std::size_t index, std::function<void()> done);

  Runtime& runtime_;
  std::vector<std::unique_ptr<RankPart>> parts_;
};

}  // namespace roam
