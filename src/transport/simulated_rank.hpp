// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "roam/core/detail/mpsc_queue.hpp"
#include "roam/core/types.hpp"
#include "transport/bulk_matcher.hpp"

// The state of each rank of a simulated network.
namespace roam::transport::simulation {

// A released buffer on its way. Trivially copyable, because heaps move their elements.
struct Arrival {
  Instant time;
  std::uint64_t sequence;  // breaks ties in the order of sending
  core::MpscNode* node;
};
// A message that a handler ahead of time has sent. It enters the network when that time has come,
// because another worker of the rank may still send something earlier.
struct Departure : Arrival {
  Rank destination;
};
// The order for the standard heap functions, which put the greatest element on top.
struct Later {
  bool operator()(const Arrival& a, const Arrival& b) const {
    return a.time != b.time ? a.time > b.time : a.sequence > b.sequence;
  }
};

/// The receiving side of an interface, where interfaces are contended for.
struct Intake {
  Instant free{0};
  std::deque<Arrival> late;  // in the order in which the interface processes them
};

// What every message needs of its source and its destination, of which there may be a hundred
// thousand: one line of the cache.
struct alignas(64) SimulatedRank {
  std::vector<Arrival> arrivals;      // binary heap
  std::vector<Departure> departures;  // binary heap
  Instant interface_free{0};
  std::size_t unsent_bytes = 0;  // bytes sent by this rank and not delivered yet
};
static_assert(sizeof(void*) != 8 || sizeof(SimulatedRank) == 64);

// The rest of a rank's state, which few messages need.
struct RareState {
  std::unique_ptr<Intake> intake;  // nullptr where interfaces are not contended for
  std::unique_ptr<BulkMatcher> matcher;
  std::uint64_t departed = 0;  // messages sent, counted where ranks share links
  bool taken_out = false;
  bool closed = false;
  bool is_lost = false;
};

}  // namespace roam::transport::simulation
