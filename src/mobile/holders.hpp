// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "messages.hpp"
#include "migrations.hpp"
#include "roam/core/detail/spin_lock.hpp"
#include "roam/exec/task.hpp"
#include "roam/mobile/detail/call_runs.hpp"
#include "roam/mobile/detail/issued_calls.hpp"

namespace roam::mobile {

class HoldCall;

/// Objects that are held on a rank for a multicast, or until a move has succeeded (M9): each by an
/// exclusive call that does not end until its holder says so.
class Holders {
 public:
  Holders(ObjectSpace& space, Residents& residents, IssuedCalls& issued, CallRuns& runs,
          Migrations& migrations);
  Holders(const Holders&) = delete;
  Holders& operator=(const Holders&) = delete;
  /// Called when no other thread is left: deletes what is held.
  void give_up_all();

  [[nodiscard]] std::uint64_t new_holder();
  [[nodiscard]] am::Reply<void> hold(ObjectId id, Rank where, std::uint64_t holder);
  /// Brings the object to a rank and releases it there. Throws roam::Error if the rank does not
  /// exist.
  [[nodiscard]] Task<> bring(ObjectId id, Rank where);
  [[nodiscard]] std::vector<Resident*> held_by(std::uint64_t holder) const;
  void begin_nested(std::uint64_t outer);
  void release(std::uint64_t holder) ROAM_EXCLUDES(inside_shard);
  void post_release(Rank where, std::uint64_t holder);
  /// Sets the handler that runs on what a holder holds here.
  void set_execution(std::uint64_t holder, const exec::Execution* execution);

  // For the calls that hold objects.
  /// Called when the object is where its holder wants it: it stays there until release().
  void begin(HoldCall& call);
  /// Sends the object to its holder's rank; the call goes with it, as the first of its calls.
  void bring_to_holder(HoldCall& call) ROAM_EXCLUDES(inside_shard);
  [[nodiscard]] std::string refusal_of(Resident& resident) const {
    return migrations_.refusal_of(resident);
  }

  /// For reports: the holders of this rank's objects, by object.
  struct Holder {
    std::uint64_t holder = 0;
    std::uint64_t execution = 0;
  };
  [[nodiscard]] std::unordered_map<std::uint64_t, Holder> holders_by_object() const;

 private:
  struct Held {
    std::vector<HoldCall*> calls;
    std::uint32_t users = 1;
    const exec::Execution* execution = nullptr;  // for reports
  };
  void end(std::uint64_t holder) ROAM_EXCLUDES(inside_shard);
  void on_release(const Release& message) ROAM_EXCLUDES(inside_shard) { end(message.holder); }

  ObjectSpace& space_;
  Residents& residents_;
  IssuedCalls& issued_;
  CallRuns& runs_;
  Migrations& migrations_;
  mutable core::SpinLock lock_;
  std::unordered_map<std::uint64_t, Held> held_ ROAM_GUARDED_BY(lock_);  // by holder
  std::atomic<std::uint64_t> next_holder_{1};
};

}  // namespace roam::mobile
