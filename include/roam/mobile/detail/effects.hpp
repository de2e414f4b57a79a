// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "roam/core/detail/thread_annotations.hpp"
#include "roam/exec/engine.hpp"
#include "roam/mobile/detail/call_queue.hpp"
#include "roam/mobile/detail/directory.hpp"
#include "roam/mobile/detail/resident.hpp"
#include "roam/mobile/migration_outcome.hpp"

namespace roam::mobile {

class ObjectSpace;

/// The things that a step inside a shard can lead to. By default each is nothing.
namespace effect {

/// A handler may start: the item is pushed to the scheduler.
struct Ready {
  exec::ReadyItem* ready = nullptr;
};
/// A move was refused: the listeners are told.
struct RefusedMove {
  std::optional<MigrationOutcome> refused;
};
/// A call came by a detour: its caller is told where the object is (M7).
struct PlaceForCaller {
  Rank caller = no_rank;
  ObjectId called;
  std::uint32_t called_version = 0;
};
/// An object has arrived: these ranks are told where it is (M7).
struct PlaceForOthers {
  std::vector<Rank> others;
  ObjectId arrived;
  std::uint32_t arrived_version = 0;
};
/// Calls follow their object to another rank.
struct Followers {
  CallQueue followers;
  Rank followed_to = no_rank;
};
/// An object that left is known to be elsewhere, or to be gone: what was stored of it is deleted.
struct EndedPassage {
  Resident* former = nullptr;
  Rank former_to = no_rank;
};
/// An object has ended here: its home is told (M8).
struct EndedObject {
  Resident* ended = nullptr;
};
/// Calls of an object that has ended: the coroutines that await them are told (M8).
struct Orphans {
  CallQueue orphans;
};
/// An object is in transit: it is packed and sent (M5).
struct Departure {
  Resident* departs = nullptr;
};
/// A call has ended: its memory is given back.
struct FinishedCall {
  Call* finished = nullptr;
};
/// A resident has no user any more: the users' reference is released.
struct LastUse {
  Resident* unused = nullptr;
};

}  // namespace effect

/// What a kind of step leaves to be done after the lock is released. Its parts say what may be
/// needed, and nothing else is checked. A step returns it; EffectsApplier does it.
template <class... Parts>
struct [[nodiscard]] Effects : Parts... {
  template <class Part>
  static constexpr bool has = (std::is_same_v<Part, Parts> || ...);
};

/// Does what steps lead to. It alone determines the order of effects, and the points between a step
/// and its effects at which other threads might act (and simulated ones do).
class EffectsApplier {
 public:
  EffectsApplier(ObjectSpace& space, exec::Engine& engine) : space_(space), engine_(engine) {}

  template <class... Parts>
  [[gnu::always_inline]] void apply(Effects<Parts...>&& effects) ROAM_EXCLUDES(inside_shard) {
    engine_.preemption_point();
    step<effect::RefusedMove>(effects);
    // The caller must know the place before a call that starts can be answered (M7).
    step<effect::PlaceForCaller>(effects);
    step<effect::PlaceForOthers>(effects);
    step<effect::Ready>(effects);
    step<effect::Followers>(effects);
    step<effect::EndedPassage>(effects);
    step<effect::EndedObject>(effects);
    step<effect::Orphans>(effects);
    step<effect::Departure>(effects);
    // By now all that belongs to the call's epoch has begun (M10).
    step<effect::FinishedCall>(effects);
    step<effect::LastUse>(effects);
  }

 private:
  template <class Part, class All>
  [[gnu::always_inline]] void step(All& effects) {
    if constexpr (All::template has<Part>) carry_out(static_cast<Part&>(effects));
  }
  void carry_out(const effect::Ready& effect) {
    if (effect.ready != nullptr) engine_.push(effect.ready);
  }
  void carry_out(effect::RefusedMove& effect) {
    if (effect.refused) report(*effect.refused);
  }
  void carry_out(const effect::PlaceForCaller& effect) {
    if (effect.caller != no_rank) [[unlikely]]
      tell(effect.caller, effect.called, effect.called_version);
  }
  void carry_out(const effect::PlaceForOthers& effect);
  void carry_out(effect::Followers& effect);
  void carry_out(const effect::EndedPassage& effect) {
    if (effect.former != nullptr) end_passage(*effect.former, effect.former_to);
  }
  void carry_out(const effect::EndedObject& effect) {
    if (effect.ended != nullptr) [[unlikely]]
      end_object(*effect.ended);
  }
  void carry_out(effect::Orphans& effect) {
    if (!effect.orphans.empty()) [[unlikely]]
      lose(effect.orphans);
  }
  void carry_out(const effect::Departure& effect) {
    if (effect.departs != nullptr) [[unlikely]]
      hand_over(*effect.departs);
  }
  void carry_out(const effect::FinishedCall& effect) { delete effect.finished; }
  void carry_out(const effect::LastUse& effect) {
    if (effect.unused != nullptr) effect.unused->release();
  }

  // The owners of the respective state carry these out.
  void report(const MigrationOutcome& outcome);
  void tell(Rank other, ObjectId id, std::uint32_t version);
  void end_passage(Resident& former, Rank place);
  void end_object(Resident& ended);
  void lose(CallQueue& orphans);
  void hand_over(Resident& departs);

  ObjectSpace& space_;
  exec::Engine& engine_;
};

}  // namespace roam::mobile
