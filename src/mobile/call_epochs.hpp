// SPDX-License-Identifier: Apache-2.0
// Calls as work of epochs (M10): from a call's arrival to its end it is work of its epoch on the
// rank where it lies, on its way a message of the epoch. Calls inside a message that carries their
// object: see move_state.cpp.
#pragma once

#include "roam/am/detail/epochs.hpp"
#include "roam/core/error.hpp"
#include "roam/mobile/call.hpp"

namespace roam::mobile {

/// Issued here, and stays.
inline void count_for_epoch(am::Epochs& epochs, Call& call) {
  if (call.header().epoch == 0) [[likely]]
    return;
  epochs.begin_work(call.header().epoch);
  call.counts_for_epoch = true;
}

/// Came from elsewhere, and stays. Throws MalformedMessage, and has deleted the call, if its epoch
/// cannot be.
inline void take_in_for_epoch(am::Epochs& epochs, Call& call) {
  if (call.header().epoch == 0) [[likely]]
    return;
  if (!epochs.taken_in(call.header().epoch)) {
    delete &call;
    throw MalformedMessage("a call of an epoch that does not exist");
  }
  call.counts_for_epoch = true;
}

/// Came from elsewhere and does not stay; no_rank: for an object that does not exist.
inline void pass_on_for_epoch(am::Epochs& epochs, const CallHeader& header, Rank to) {
  if (header.epoch == 0) [[likely]]
    return;
  if (!epochs.taken_in(header.epoch))
    throw MalformedMessage("a call of an epoch that does not exist");
  if (to != no_rank) epochs.sent(header.epoch, to);
  epochs.end_work(header.epoch);
}

/// Came with its object, which nobody else knows yet. One of an epoch that cannot be is one of
/// none.
inline void take_in_with_object(am::Epochs& epochs, Call& call) {
  if (call.header().epoch == 0) return;
  call.counts_for_epoch = epochs.taken_in(call.header().epoch);
  if (!call.counts_for_epoch) call.header().epoch = 0;
}

}  // namespace roam::mobile
