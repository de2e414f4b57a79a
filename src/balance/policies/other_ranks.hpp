// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "roam/balance/policy.hpp"

namespace roam::balance {

/// Any rank but the host's, all with the same probability. The job has more than one.
[[nodiscard]] inline Rank random_other_rank(PolicyHost& host) {
  const auto others = static_cast<std::uint64_t>(host.size() - 1);
  const auto offset = 1 + static_cast<std::int64_t>(host.random().below(others));
  return {static_cast<std::int32_t>((host.rank().value() + offset) % host.size())};
}

}  // namespace roam::balance
