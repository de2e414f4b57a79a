// SPDX-License-Identifier: Apache-2.0
// Calls as work of epochs (M10): a call is work of its epoch on the rank where it is, from its
// arrival there to its end, and a message of the epoch while it is sent. For calls inside a message
// that carries their object see move_state.cpp.
#pragma once

#include "roam/am/detail/epochs.hpp"
#include "roam/core/error.hpp"
#include "roam/mobile/call.hpp"

namespace roam::mobile {

/// For a call that was issued on this rank and stays here.
inline void count_for_epoch(am::Epochs& epochs, Call& call) {
  if (call.header().epoch == 0) [[likely]]
    return;
  epochs.begin_work(call.header().epoch);
  call.counts_for_epoch = true;
}

/// For a call that came from another rank and stays here. If its epoch is not valid, deletes the
/// call and throws MalformedMessage.
inline void take_in_for_epoch(am::Epochs& epochs, Call& call) {
  if (call.header().epoch == 0) [[likely]]
    return;
  if (!epochs.taken_in(call.header().epoch)) {
    delete &call;
    throw MalformedMessage("a call of an epoch that does not exist");
  }
  call.counts_for_epoch = true;
}

/// For a call that came from another rank and is sent on; `to` is no_rank if its object does not
/// exist.
inline void pass_on_for_epoch(am::Epochs& epochs, const CallHeader& header, Rank to) {
  if (header.epoch == 0) [[likely]]
    return;
  if (!epochs.taken_in(header.epoch))
    throw MalformedMessage("a call of an epoch that does not exist");
  if (to != no_rank) epochs.sent(header.epoch, to);
  epochs.end_work(header.epoch);
}

/// For a call that came with its object, which no other thread knows yet. If its epoch is not
/// valid, the call belongs to none.
inline void take_in_with_object(am::Epochs& epochs, Call& call) {
  if (call.header().epoch == 0) return;
  call.counts_for_epoch = epochs.taken_in(call.header().epoch);
  if (!call.counts_for_epoch) call.header().epoch = 0;
}

}  // namespace roam::mobile
