// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forwarded_calls.hpp"
#include "roam/mobile/detail/call_runs.hpp"
#include "roam/mobile/detail/residents.hpp"

namespace roam::mobile {

/// Puts calls from other ranks into the inbox of their object if it is here; else sends them on to
/// where it is believed to be.
class ArrivedCalls {
 public:
  ArrivedCalls(ObjectSpace& space, Residents& residents, CallRuns& runs, ForwardedCalls& forwarded);
  /// The method of a call from another rank. Throws MalformedMessage if the header is not valid.
  [[nodiscard]] const Method& check(const CallHeader& header) const;

 private:
  void on_call(const CallHeader& header, am::Incoming&& arguments) ROAM_EXCLUDES(inside_shard);

  ObjectSpace& space_;
  Residents& residents_;
  CallRuns& runs_;
  ForwardedCalls& forwarded_;
};

}  // namespace roam::mobile
