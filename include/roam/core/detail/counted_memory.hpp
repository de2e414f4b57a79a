// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "roam/core/detail/buffer.hpp"

namespace roam::core {

/// Buffers from the heap whose memory is counted until they are gone, or left to the program. They
/// may outlive it.
class CountedMemory {
 public:
  CountedMemory();
  /// A buffer of size 0 and just this capacity.
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
