// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "roam/roam.hpp"

namespace roam::testing {

/// Works for so long at each call.
struct Piece {
  std::int32_t milliseconds = 1;
  void work() { roam::here().compute(std::chrono::milliseconds(milliseconds)); }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(milliseconds);
  }
};

}  // namespace roam::testing
