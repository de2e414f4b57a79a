// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace roam::topology {

/// Where a process, or a thread of it, runs: the host, and on it the package, the NUMA node, the L3
/// cache and the core that contain all processors which it may use. Each of these is identified by
/// the lowest of the operating system's numbers of its processors, so that containers of one host,
/// which see different parts of it, agree.
struct Place {
  static constexpr std::int32_t unknown = -1;  ///< it may use several of them, or there is none
  std::uint64_t host = 0;  ///< equal for all processes of one host; 0: not known
  std::int32_t package = unknown;
  std::int32_t numa = unknown;
  std::int32_t l3 = unknown;
  std::int32_t core = unknown;

  friend bool operator==(const Place&, const Place&) = default;
};

/// The place of the calling thread, or of all threads of the process together. If Roam was built
/// without hwloc, or hwloc fails, only the host is known. Asks the operating system, which takes
/// milliseconds to tenths of a second; any thread.
[[nodiscard]] Place place_of_this_thread();
[[nodiscard]] Place place_of_this_process();
/// The host alone, as in Place::host; at once.
[[nodiscard]] std::uint64_t host_of_this_process();

}  // namespace roam::topology
