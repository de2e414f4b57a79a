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

class BufferPools;

/// For a packer: the first array of at least this many bytes that it comes to goes here instead of
/// into its place.
struct ArrayOutlet {
  std::size_t smallest_bytes;
  BufferPools* pools;  ///< for its copy
  Attachment attachment = {};
  std::size_t place = 0;  ///< in the message
};

}  // namespace roam::core
