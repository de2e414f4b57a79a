// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

#include "roam/core/buffer_pool.hpp"

namespace roam::core {

/// Memory for buffers of very different sizes: pools of blocks of 512 B, 1 KiB, ... 16 MiB. Memory
/// fresh from the system would cost more in page faults than a transfer itself. Each pool keeps a
/// few MiB at most. Thread-safe.
class BufferPools {
 public:
  BufferPools() {
    for (std::size_t i = 0; i < pools_.size(); ++i) {
      const std::size_t bytes = smallest << i;
      pools_[i] = BufferPool::create(bytes, std::max<std::size_t>(kept_bytes / bytes, 1));
    }
  }
  /// A buffer of size 0 and at least this capacity.
  [[nodiscard]] Buffer take(std::size_t bytes) {
    const auto index = static_cast<std::size_t>(
        std::countr_zero(std::bit_ceil(std::max(bytes, smallest))) - std::countr_zero(smallest));
    return index < pools_.size() ? pools_[index]->take() : Buffer::allocate(bytes);
  }

 private:
  static constexpr std::size_t smallest = 512;
  static constexpr std::size_t kept_bytes = std::size_t{4} << 20;
  std::array<BufferPool::Handle, 16> pools_;
};

}  // namespace roam::core
