// SPDX-License-Identifier: Apache-2.0
#include "support/balance_summary.hpp"

#include <cinttypes>
#include <cstdio>
#include <string>

namespace support {

void BalanceSummary::note(const roam::balance::PhaseReport& phase) {
  last_ = phase.imbalance();
  if (phases_++ == 0) first_ = last_;
  moved_ += phase.moved_objects;
}

void BalanceSummary::print(const char* objects) const {
  std::printf("imbalance, first     %.4f\nimbalance, last      %.4f\n", first_, last_);
  std::printf("%-20s %" PRIu64 "\n", (std::string(objects) + " moved").c_str(), moved_);
}

}  // namespace support
