// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "machine_groups.hpp"
#include "roam/am/detail/messenger.hpp"
#include "roam/offload/detail/messages.hpp"
#include "roam/offload/step_view.hpp"
#include "step_meter.hpp"

namespace roam::offload {

/// What rank 0 knows about helpers, which have no steps of their own: it asks each for its
/// measurements whenever it has decided about a step, and uses them for the next decision. On a
/// helper: what answers. Thread-safe.
class HelperRanks {
 public:
  HelperRanks(am::Messenger& messenger, const HomeTasks& tasks, const Guests& guests);
  HelperRanks(const HelperRanks&) = delete;
  HelperRanks& operator=(const HelperRanks&) = delete;

  /// What a helper has measured between the last two questions.
  struct Measured {
    RankStep step;
    RankHost host;

    template <class Archive>
    void serialize(Archive& archive) {
      archive(step, host);
    }
  };
  /// On rank 0: asks all helpers that are not lost.
  void ask();
  /// On rank 0: the latest answer of each helper that has answered and is not lost, by rank.
  [[nodiscard]] std::vector<Measured> measured() const;
  void on_lost(Rank helper);

 private:
  void on_asked(const HelperAsked& asked, Rank from);
  void on_measured(const HelperMeasured& head, am::Incoming&& rest);

  am::Messenger& messenger_;
  StepMeter meter_;  // on a helper, inside progress
  mutable std::mutex mutex_;
  std::map<std::int32_t, Measured> measured_;  // under mutex_
  std::set<std::int32_t> lost_;                // under mutex_
};

}  // namespace roam::offload
