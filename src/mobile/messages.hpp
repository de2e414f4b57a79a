// SPDX-License-Identifier: Apache-2.0
#pragma once

// The messages by which ranks move objects and track them. Those for calls are in CallHeader.
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "roam/am/detail/system_message.hpp"
#include "roam/core/object_id.hpp"
#include "roam/core/types.hpp"

namespace roam::mobile {

/// Asks an object to move; it is sent to where the object is.
struct MoveRequest {
  static constexpr am::MessageKind kind{"roam.migrate"};
  ObjectId object;
  Rank target;
  std::uint16_t hops = 0;   // the number of ranks that it has come through
  std::uint64_t epoch = 0;  // the epoch whose work it is; 0: none
  static constexpr auto fields(auto& m) { return std::tie(m.object, m.target, m.hops, m.epoch); }
};

/// Brings an object. What ObjectPacking packs follows; the object itself may be handed over beside
/// it.
struct Install {
  static constexpr am::MessageKind kind{"roam.install", am::Counted::yes,
                                        am::Behind::bytes_and_array};
  ObjectId object;
  std::uint32_t version = 0;  // that of its place after its arrival
  static constexpr auto fields(auto& m) { return std::tie(m.object, m.version); }
};

/// Brings several objects. For each of them, the length in 8 bytes follows, then an Install and
/// what follows that.
struct InstallTogether {
  static constexpr am::MessageKind kind{"roam.install_together", am::Counted::yes,
                                        am::Behind::bytes};
};

/// Why an object was refused; an empty reason: it was taken in.
struct Refusal {
  std::string reason = {};
  bool is_for_good = false;  // see MigrationOutcome
  static constexpr auto fields(auto& m) { return std::tie(m.reason, m.is_for_good); }
};

/// The result of the arrival of an object.
struct Arrival {
  ObjectId object;
  std::uint32_t version = 0;
  Refusal refusal;
  static constexpr auto fields(auto& m) { return std::tie(m.object, m.version, m.refusal); }
};

/// The answer to Install.
struct Installed {
  static constexpr am::MessageKind kind{"roam.installed"};
  Arrival arrival;
  static constexpr auto fields(auto& m) { return std::tie(m.arrival); }
};

/// The answer to InstallTogether.
struct InstalledTogether {
  static constexpr am::MessageKind kind{"roam.installed_together"};
  std::vector<Arrival> arrivals;
  static constexpr auto fields(auto& m) { return std::tie(m.arrivals); }
};

/// Says that an object is on the sender's rank (M7).
struct Location {
  static constexpr am::MessageKind kind{"roam.location", am::Counted::no};
  ObjectId object;
  std::uint32_t version = 0;
  static constexpr auto fields(auto& m) { return std::tie(m.object, m.version); }
};

/// Says that an object has ended; sent to its home (M8).
struct Gone {
  static constexpr am::MessageKind kind{"roam.gone"};
  ObjectId object;
  static constexpr auto fields(auto& m) { return std::tie(m.object); }
};

/// Releases the objects that a holder holds on this rank (M9).
struct Release {
  static constexpr am::MessageKind kind{"roam.release"};
  std::uint64_t holder = 0;
  static constexpr auto fields(auto& m) { return std::tie(m.holder); }
};

/// The answer to a last call: the receiver has no call under way to the object.
struct Closed {
  static constexpr am::MessageKind kind{"roam.closed"};
  ObjectId object;
  static constexpr auto fields(auto& m) { return std::tie(m.object); }
};

/// Says that a call must not run if it still waits in its object's inbox.
struct Cancel {
  static constexpr am::MessageKind kind{"roam.cancel", am::Counted::no};
  ObjectId object;
  Rank origin;              // the rank that issued the call
  std::uint64_t token = 0;  // the token of its reply
  std::uint16_t hops = 0;   // the number of ranks that this message has come through
  static constexpr auto fields(auto& m) { return std::tie(m.object, m.origin, m.token, m.hops); }
};

}  // namespace roam::mobile
