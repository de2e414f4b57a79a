// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "roam/core/types.hpp"

namespace roam::am {

/// What has arrived from one rank.
struct SourceTraffic {
  Rank source;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

}  // namespace roam::am
