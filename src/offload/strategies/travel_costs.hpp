// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "roam/offload/step_view.hpp"

namespace roam::offload {

/// The costs of computing tasks elsewhere in addition to the computation. They are measured in
/// steps with offloading and remembered in those without, since otherwise each pause would end as
/// if offloading cost nothing; a cost that is not measured again decays slowly. Of two consecutive
/// measurements the smaller one counts, and a single one does not: the first tasks that are sent
/// use memory that is fresh from the system, which can take a hundred times as long. Ranks may
/// differ in speed, as processors do that are throttled or of another kind; that, too, is measured
/// by the tasks of others that they compute.
class TravelCosts {
 public:
  explicit TravelCosts(std::int32_t ranks)
      : handling_(static_cast<std::size_t>(ranks)), paces_(static_cast<std::size_t>(ranks)) {}
  void add(const StepView& step);
  /// Seconds of a worker, at each end, to send one of this rank's tasks and to receive its result.
  [[nodiscard]] double handling_seconds(std::size_t rank) const {
    return 2 * handling_[rank].value;
  }
  /// Factor by which a task takes longer elsewhere than at home, where its data are in a cache.
  [[nodiscard]] double slowdown() const { return 1 + slowdown_.value; }
  /// Factor by which tasks of others take longer on this rank than on all that compute some, on
  /// average; 1 if it differs by less than a tenth, or is not known.
  [[nodiscard]] double pace(std::size_t rank) const { return paces_[rank].factor(); }

 private:
  struct Cost {
    double value = 0;
    double last = -1;  // measurement in the step before; negative: none
    void measured(double now) {
      if (last >= 0) value = now < last ? now : last;
      last = now;
    }
    void not_measured();
  };
  /// As a Cost, for a factor: of two measurements that which is nearer to 1 counts.
  struct Pace {
    double value = 1;
    double last = -1;
    void measured(double now);
    void not_measured();
    [[nodiscard]] double factor() const;
  };
  /// Tasks that a rank was sent in a step, and what they would have taken at home.
  struct Sent {
    std::uint32_t tasks = 0;
    double seconds = 0;
  };
  /// `times_of_all`: factor by which tasks took longer elsewhere; 0: it is not known.
  void add_paces(const StepView& step, double times_of_all);
  std::vector<Cost> handling_;      // by rank: seconds to send one task
  std::vector<Pace> paces_;         // by rank
  std::vector<Sent> home_seconds_;  // by rank: memory for add_paces()
  Cost slowdown_;                   // minus 1
};

}  // namespace roam::offload
