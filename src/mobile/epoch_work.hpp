// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "roam/am/messenger.hpp"

namespace roam::mobile {

/// Ends work of an epoch (0: none) when it goes.
class EpochWork {
 public:
  EpochWork(am::Messenger& messenger, std::uint64_t epoch) : messenger_(messenger), epoch_(epoch) {}
  EpochWork(const EpochWork&) = delete;
  EpochWork& operator=(const EpochWork&) = delete;
  ~EpochWork() {
    if (epoch_ != 0) messenger_.epochs().end_work(epoch_);
  }

 private:
  am::Messenger& messenger_;
  std::uint64_t epoch_;
};

}  // namespace roam::mobile
