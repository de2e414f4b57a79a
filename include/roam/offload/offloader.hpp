// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "roam/offload/detail/group_sizes.hpp"
#include "roam/offload/detail/guests.hpp"
#include "roam/offload/detail/home_tasks.hpp"
#include "roam/offload/detail/lost_helpers.hpp"
#include "roam/offload/detail/task_requests.hpp"
#include "roam/offload/step_view.hpp"
#include "roam/runtime/detail/rank_part.hpp"
#include "roam/runtime/runtime.hpp"

namespace roam::trace {
struct OffloadStep;
}  // namespace roam::trace

namespace roam::offload {

class Steps;

/// One rank's part of offloading: its tasks, its guests, and its part in deciding who computes for
/// whom. Made with the rank. Thread-safe; nothing blocks.
class Offloader final : public RankPart {
 public:
  /// @cond
  explicit Offloader(Runtime& rank);
  ~Offloader() override;
  /// @endcond

  /// Returns the Offloader of a rank.
  [[nodiscard]] static Offloader& of(Runtime& rank) {
    return *rank.engine().services().get<Offloader>();
  }

  /// @cond
  [[nodiscard]] HomeTasks& tasks() { return tasks_; }
  [[nodiscard]] const Guests& guests() const { return guests_; }
  [[nodiscard]] TaskRequests& requests() { return requests_; }
  [[nodiscard]] GroupSizes& group_sizes() { return group_sizes_; }
  [[nodiscard]] const LostHelpers& lost_helpers() const { return lost_helpers_; }
  [[nodiscard]] exec::Engine& engine() { return rank_.engine(); }
  /// See next_step() in offload.hpp.
  void next_step();
  /// See waited_for() in offload.hpp.
  void waited_for(Rank whom, Duration worker_time);
  /// Like waited_for(), for waits outside of Roam, in MPI, which are added to what is measured or
  /// reported.
  void waited_outside_for(Rank whom, Duration worker_time);
  /// @endcond

  ///@cond
  /// Number of steps decided so far, on rank 0; for tests and reports.
  [[nodiscard]] std::uint64_t steps_decided() const;
  /// @endcond

  /// The latest steps that have been decided, on rank 0; those of the last two steps or so may be
  /// missing. With waits and flows only if a trace is asked for. Any thread.
  [[nodiscard]] std::vector<trace::OffloadStep> step_records() const;

  /// @cond
  void finish(std::function<void()> done) override;
  void add_statistics(Counters& counters) const override;
  void add_to_trace(trace::RankTrace& trace) const override;
  [[nodiscard]] std::vector<std::string> stuck_facts() const override;
  /// @endcond

 private:
  void on_loss(Rank helper, const char* reason);

  Runtime& rank_;
  HomeTasks tasks_;
  Guests guests_;
  TaskRequests requests_;
  LostHelpers lost_helpers_;
  GroupSizes group_sizes_;
  const std::unique_ptr<Steps> steps_;  // nullptr: --roam-offload none
};

}  // namespace roam::offload
