// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "roam/core/detail/buffer.hpp"

namespace roam::core {

/// The elements of one array of a message, which travel beside it instead of in their place.
struct Attachment {
  Buffer data = {};
  std::size_t bytes_behind = 0;  ///< of the message, after the array's place
};

class BufferPools;

/// Lends arrays where they lie.
class ArrayLender {
 public:
  /// The elements of an array, the Array itself at `array`; empty if they are not its own to lend.
  [[nodiscard]] virtual Buffer lend(const void* array, std::span<const std::byte> elements) = 0;

 protected:
  ~ArrayLender() = default;
};

/// For a packer: the first array of at least this many bytes that it comes to goes here instead of
/// into its place.
struct ArrayOutlet {
  std::size_t smallest_bytes;
  BufferPools* pools;             ///< for its copy, if it is not lent
  ArrayLender* lender = nullptr;  ///< if any
  Attachment attachment = {};
  std::size_t place = 0;  ///< in the message
};

}  // namespace roam::core
