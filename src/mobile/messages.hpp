// SPDX-License-Identifier: Apache-2.0
#pragma once

// The messages by which the ranks move objects and keep track of them. Calls: CallHeader.
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "roam/am/detail/system_message.hpp"
#include "roam/core/object_id.hpp"
#include "roam/core/types.hpp"

namespace roam::mobile {

/// An object is to move; the request goes to where it is.
struct MoveRequest {
  static constexpr am::MessageKind kind{"roam.migrate"};
  ObjectId object;
  Rank target;
  std::uint16_t hops = 0;   // ranks that it has come through
  std::uint64_t epoch = 0;  // whose work it is; 0: none
  static constexpr auto fields(auto& m) { return std::tie(m.object, m.target, m.hops, m.epoch); }
};

/// An object comes. What ObjectPacking packs follows, or beside it the object itself.
struct Install {
  static constexpr am::MessageKind kind{"roam.install", am::Counted::yes,
                                        am::Behind::bytes_and_array};
  ObjectId object;
  std::uint32_t version = 0;  // of its place, once it has arrived
  static constexpr auto fields(auto& m) { return std::tie(m.object, m.version); }
};

/// Several objects come. They follow, each behind its length in 8 bytes: an Install and what
/// follows that.
struct InstallTogether {
  static constexpr am::MessageKind kind{"roam.install_together", am::Counted::yes,
                                        am::Behind::bytes};
};

/// Why an object was not taken in; an empty reason: it was.
struct Refusal {
  std::string reason = {};
  bool is_for_good = false;  // see MigrationOutcome
  static constexpr auto fields(auto& m) { return std::tie(m.reason, m.is_for_good); }
};

/// What has become of an object that has arrived.
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

/// An object is on the rank that says so (M7).
struct Location {
  static constexpr am::MessageKind kind{"roam.location", am::Counted::no};
  ObjectId object;
  std::uint32_t version = 0;
  static constexpr auto fields(auto& m) { return std::tie(m.object, m.version); }
};

/// An object has ended; to its home (M8).
struct Gone {
  static constexpr am::MessageKind kind{"roam.gone"};
  ObjectId object;
  static constexpr auto fields(auto& m) { return std::tie(m.object); }
};

/// The objects that a holder has on this rank may go on (M9).
struct Release {
  static constexpr am::MessageKind kind{"roam.release"};
  std::uint64_t holder = 0;
  static constexpr auto fields(auto& m) { return std::tie(m.holder); }
};

/// The receiver has no call under way to the object: the answer to a last call.
struct Closed {
  static constexpr am::MessageKind kind{"roam.closed"};
  ObjectId object;
  static constexpr auto fields(auto& m) { return std::tie(m.object); }
};

/// A call is not to be run if it waits in its object's inbox.
struct Cancel {
  static constexpr am::MessageKind kind{"roam.cancel", am::Counted::no};
  ObjectId object;
  Rank origin;              // that issued the call
  std::uint64_t token = 0;  // of its reply
  std::uint16_t hops = 0;   // ranks that this message has come through
  static constexpr auto fields(auto& m) { return std::tie(m.object, m.origin, m.token, m.hops); }
};

}  // namespace roam::mobile
