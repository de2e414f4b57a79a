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
    withdrawn,  ///< it could not be made after all: the next call gets its number
    accepted,   ///< it is in the inbox, as all its predecessors of the same origin have been
    set_aside,  ///< a predecessor is missing
    parked,     ///< the object is under way: it follows, or waits for the refusal
    forwarded,  ///< to `other`
    started,
    put_back,  ///< it has not really started: it travels with the object, first of all
    gave_up,   ///< it waits without access
    regained,  ///< and has it back
    ended,
    dead,       ///< the object does not exist
    packed,     ///< the object is frozen, to go to `other`
    installed,  ///< from `other`, with `version`
    refused,    ///< by `other`: it goes on living here
    left,       ///< this rank knows that it arrived
    destroyed,
    told,       ///< `other` is sent the object's place, of `version`
    heard,      ///< the object's place, of `version`, arrived: `other`
    forgot,     ///< the object, until it is called again
    learned,    ///< and replaces what was known, of `former_version`
    quiescent,  ///< a verdict of quiescence reaches this rank
    finished    ///< the verdict that the job is over
  };
  Kind kind = Kind::created;
  Rank at;
  ObjectId object;
  const CallHeader* call = nullptr;
  const Method* method = nullptr;              ///< of a call
  const exec::Execution* execution = nullptr;  ///< of a call that started or ended
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
