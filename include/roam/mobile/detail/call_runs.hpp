// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "roam/core/detail/owned.hpp"
#include "roam/mobile/detail/residents.hpp"

namespace roam::mobile {

/// Calls while they run: which starts, on which worker, and what follows from its end.
class CallRuns {
 public:
  CallRuns(ObjectSpace& space, Residents& residents);
  /// A worker has taken the item that stands for the object, or the more urgent one.
  void run(Resident& resident, exec::Context& context, bool is_boost) ROAM_EXCLUDES(inside_shard);
  /// The call's handler has returned for good, having run so long. Frees the call.
  void completed(Call& call, Duration run_time) ROAM_EXCLUDES(inside_shard);
  /// Residents::accept(), inside progress; may leave the call to the worker that makes it.
  [[nodiscard]] exec::ReadyItem* accept_arrived(Resident& resident, Call* call)
      ROAM_REQUIRES(inside_shard);

 private:
  using Shard = Directory::Shard;
  /// Of a single worker: has started and is what the worker runs next; never queued.
  class NextCall final : public exec::ReadyItem {
   public:
    explicit NextCall(CallRuns& runs) : runs_(runs) {}
    void put(Resident& resident, Call* call) { resident_ = &resident, call_ = call; }
    void run(exec::Context& context) override {
      runs_.run_started(*resident_, std::exchange(call_, nullptr), context);
    }

   private:
    CallRuns& runs_;
    Resident* resident_ = nullptr;  // of which it is a user
    Call* call_ = nullptr;
  };
  void run_started(Resident& resident, Call* call, exec::Context& context);

  ObjectSpace& space_;
  Residents& residents_;
  const core::Owned<NextCall> next_call_;
};

}  // namespace roam::mobile
