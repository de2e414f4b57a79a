// SPDX-License-Identifier: Apache-2.0
#include "roam/balance/detail/growth.hpp"

namespace roam::balance {

void Growth::waits(std::uint64_t objects, std::uint64_t created_here, bool runs) {
  waiting_ = objects;
  most_waiting_ = std::max(most_waiting_, created_here);
  if (objects > 0) return;
  announced_ = runs ? std::max(0.0, announced_ - static_cast<double>(began_)) : 0;
  began_ = 0;
  most_waiting_ = 0;
}

void Growth::came(double times) {
  const auto objects = static_cast<double>(std::max<std::uint64_t>(waiting_, 1));
  announced_ = static_cast<double>(began_) + (times - 1) * objects;
}

}  // namespace roam::balance
