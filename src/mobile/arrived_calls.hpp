// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forwarded_calls.hpp"
#include "roam/mobile/detail/call_runs.hpp"
#include "roam/mobile/detail/residents.hpp"

namespace roam::mobile {

/// Calls that come from other ranks: into the inbox of an object that is here, else on to where it
/// is thought to be.
class ArrivedCalls {
 public:
  ArrivedCalls(ObjectSpace& space, Residents& residents, CallRuns& runs, ForwardedCalls& forwarded);
  /// The method of a call that came from elsewhere. Throws MalformedMessage if the header cannot
  /// be.
  [[nodiscard]] const Method& check(const CallHeader& header) const;

 private:
  void on_call(const CallHeader& header, am::Incoming&& arguments) ROAM_EXCLUDES(inside_shard);

  ObjectSpace& space_;
  Residents& residents_;
  CallRuns& runs_;
  ForwardedCalls& forwarded_;
};

}  // namespace roam::mobile
