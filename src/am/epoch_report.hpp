// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <tuple>

#include "roam/am/detail/system_message.hpp"

namespace roam::am {

/// What a rank and those below it in an epoch's tree have sent and received since their last
/// report.
struct EpochReport {
  static constexpr MessageKind kind{"roam.epoch.report"};
  std::uint64_t epoch = 0;
  std::string counts;  ///< the counts by rank, as epoch_reports.cpp encodes them
  static constexpr auto fields(auto& m) { return std::tie(m.epoch, m.counts); }
};

}  // namespace roam::am
