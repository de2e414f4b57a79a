// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace roam::mobile {

/// Counters since the start; each is exact.
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
