// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "roam/core/detail/buffer.hpp"

namespace roam::core {

/// The elements of one array of a message, which travel beside it instead of in their place.
struct Attachment {
  Buffer data = {};
  std::size_t bytes_behind = 0;  ///< how many bytes of the message follow the array's place
};

class BufferPools;

/// Lends the elements of arrays from where they lie.
class ArrayLender {
 public:
  /// The elements of the Array at address `array`, as a buffer that refers to them; empty if the
  /// array does not own them and so cannot lend them.
  [[nodiscard]] virtual Buffer lend(const void* array, std::span<const std::byte> elements) = 0;

 protected:
  ~ArrayLender() = default;
};

/// Where a packer puts the first array of at least this many bytes, instead of writing it into its
/// place in the message.
struct ArrayOutlet {
  std::size_t smallest_bytes;
  BufferPools* pools;             ///< for a copy of the array, if it cannot be lent
  ArrayLender* lender = nullptr;  ///< if any
  Attachment attachment = {};
  std::size_t place = 0;  ///< where the array's place in the message is
};

}  // namespace roam::core
