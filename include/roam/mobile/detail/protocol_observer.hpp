// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "roam/core/object_id.hpp"
#include "roam/core/types.hpp"
#include "roam/mobile/call.hpp"

namespace roam::mobile {

/// One step of the protocol on one rank, at the moment when it is taken.
struct ProtocolEvent {
  enum class Kind : std::uint8_t {
    created,
    issued,  ///< a call got its number; `other`: the rank it goes to, or this rank; `version`: that
             ///< of the known place
    withdrawn,  ///< the call could not be made after all: the next one gets its number
    accepted,   ///< the call is in the inbox, as all its predecessors of the same origin have been
    set_aside,  ///< a predecessor of the call is missing
    parked,     ///< the call's object is under way: the call follows it, or waits for the refusal
    forwarded,  ///< the call is sent on to `other`
    started,
    put_back,  ///< the call has not really started: it goes with the object, as the first of its
               ///< calls
    gave_up,   ///< the call waits without access
    regained,  ///< the call has its access back
    ended,
    dead,       ///< the object does not exist
    packed,     ///< the object is frozen, to be sent to `other`
    installed,  ///< the object has come from `other`, with `version`
    refused,    ///< the object was refused by `other`, and stays here
    left,       ///< this rank knows that the object has arrived
    destroyed,
    told,       ///< the object's place, of `version`, is sent to `other`
    heard,      ///< news has come that the object is on `other`, with `version`
    forgot,     ///< the rank forgets the object, until it calls it again
    learned,    ///< the news replaces what was known, of `former_version`
    quiescent,  ///< a verdict of quiescence reaches this rank
    finished    ///< the verdict that the job is over
  };
  Kind kind = Kind::created;
  Rank at;
  ObjectId object;
  const CallHeader* call = nullptr;
  const Method* method = nullptr;              ///< the method of the call
  const exec::Execution* execution = nullptr;  ///< the execution of a call that started or ended
  Rank other = no_rank;
  std::uint32_t version = 0;
  std::uint32_t former_version = 0;
  const ObjectType* type = nullptr;  ///< created, packed, installed, refused
  const void* state = nullptr;       ///< the object itself, of that type; nobody changes it now
};

/// Watches a rank's protocol, in tests. Called by the thread that takes the step, often under a
/// lock of the directory: must be quick and must not call back.
class ProtocolObserver {
 public:
  ProtocolObserver() = default;
  ProtocolObserver(const ProtocolObserver&) = delete;
  ProtocolObserver& operator=(const ProtocolObserver&) = delete;
  virtual void happened(const ProtocolEvent& event) = 0;

 protected:
  ~ProtocolObserver() = default;
};

}  // namespace roam::mobile
