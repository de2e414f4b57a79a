// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "roam/core/detail/owned.hpp"
#include "roam/mobile/detail/residents.hpp"

namespace roam::mobile {

/// Runs calls: decides which starts, runs it on a worker, and does what follows from its end.
class CallRuns {
 public:
  CallRuns(ObjectSpace& space, Residents& residents);
  /// Called when a worker has taken the item that stands for the object, or the more urgent one.
  void run(Resident& resident, exec::Context& context, bool is_boost) ROAM_EXCLUDES(inside_shard);
  /// Called when the call's handler has returned for good, after running for `run_time`. Deletes
  /// the call.
  void completed(Call& call, Duration run_time) ROAM_EXCLUDES(inside_shard);
  /// Accepts a call inside progress, as Residents::accept() does; may leave it to the worker that
  /// makes progress.
  [[nodiscard]] exec::ReadyItem* accept_arrived(Resident& resident, Call* call)
      ROAM_REQUIRES(inside_shard);

 private:
  using Shard = Directory::Shard;
  /// For ranks with a single worker: a call that has started and that the worker runs next. Never
  /// queued.
  class NextCall final : public exec::ReadyItem {
   public:
    explicit NextCall(CallRuns& runs) : runs_(runs) {}
    void put(Resident& resident, Call* call) { resident_ = &resident, call_ = call; }
    void run(exec::Context& context) override {
      runs_.run_started(*resident_, std::exchange(call_, nullptr), context);
    }

   private:
    CallRuns& runs_;
    Resident* resident_ = nullptr;  // this item counts as one of its users
    Call* call_ = nullptr;
  };
  void run_started(Resident& resident, Call* call, exec::Context& context);

  ObjectSpace& space_;
  Residents& residents_;
  const core::Owned<NextCall> next_call_;
};

}  // namespace roam::mobile
