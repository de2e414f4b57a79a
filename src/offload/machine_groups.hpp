// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "roam/core/machine.hpp"

namespace roam::offload {

/// Groups of ranks that are near each other: see StepView::groups.
using MachineGroups = std::vector<std::vector<std::int32_t>>;

/// The host of one rank, as topology numbers hosts; 0: not known. Sent as its bytes.
struct RankHost {
  std::uint64_t host = 0;
  std::int32_t rank = -1;
  std::int32_t unused = 0;
};

/// Of a simulated machine: the levels of its network inside the outermost one.
[[nodiscard]] MachineGroups groups_of(const Machine& machine);
/// One level, the hosts; none if somebody's host is not known, if there is one host, or as many as
/// ranks. `hosts`: of each of `ranks` ranks once, in any order; else as if unknown.
[[nodiscard]] MachineGroups groups_of(std::span<const RankHost> hosts, std::size_t ranks);

}  // namespace roam::offload
