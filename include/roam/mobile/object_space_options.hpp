// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "roam/core/options.hpp"

namespace roam::mobile {

struct ObjectSpaceOptions {
  std::uint32_t max_hops = 8;  ///< then the object's home rank is asked (M7)
  LocationPolicy location_policy = LocationPolicy::lazy;
  /// Known objects with another home, beyond those that live here, before those not used for long
  /// are forgotten; their home is asked again.
  std::size_t directory_limit = std::size_t{1} << 20U;
};

/// Counters since start; each exact.
struct ObjectSpaceStats {
  std::uint64_t objects_created = 0;
  std::uint64_t calls_forwarded = 0;
  std::uint64_t calls_set_aside = 0;
  std::uint64_t location_updates = 0;
  std::uint64_t locations_forgotten = 0;
  std::uint64_t migrations_in = 0;
  std::uint64_t migrations_out = 0;
  std::uint64_t migrations_refused = 0;
  std::uint64_t migrated_bytes_out = 0;
};

}  // namespace roam::mobile
