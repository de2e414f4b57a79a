// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "roam/core/detail/buffer.hpp"

namespace roam::core {

/// Allocates buffers from the heap and counts their memory until they are freed, or left to the
/// program. Buffers may outlive this object.
class CountedMemory {
 public:
  CountedMemory();
  /// A buffer of size 0 and exactly this capacity.
  [[nodiscard]] Buffer take(std::size_t bytes);
  [[nodiscard]] std::size_t bytes_in_use() const {
    return in_use_->load(std::memory_order_relaxed);
  }

 private:
  using Count = std::shared_ptr<std::atomic<std::size_t>>;  // relaxed: it publishes nothing
  class Block;

  const Count in_use_;
};

}  // namespace roam::core
