// SPDX-License-Identifier: Apache-2.0
#include "roam/am/detail/coalescer.hpp"

namespace roam::am {

void Coalescer::make_last(Rank destination) {
  last_lane_ = &lanes_[destination.value()];
  last_destination_ = destination.value();
}

bool Coalescer::find(Rank destination) {
  const auto found = lanes_.find(destination.value());
  if (found == lanes_.end()) return false;
  last_destination_ = destination.value();
  last_lane_ = &found->second;
  return true;
}

}  // namespace roam::am
