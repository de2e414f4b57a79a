// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "roam/core/buffer.hpp"

namespace roam::core {

/// The elements of one array of a message, which travel beside it instead of in their place.
struct Attachment {
  Buffer data = {};
  std::size_t bytes_behind = 0;  ///< of the message, after the array's place
};

}  // namespace roam::core
