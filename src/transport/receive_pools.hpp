// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

#include "roam/core/buffer_pool.hpp"

namespace roam::transport {

/// Memory for what is received: pools of blocks of 512 B, 1 KiB, ... 16 MiB. Memory fresh from the
/// system would cost more in page faults than the transfer itself. Each pool keeps a few MiB at
/// most.
class ReceivePools {
 public:
  ReceivePools() {
    for (std::size_t i = 0; i < pools_.size(); ++i) {
      const std::size_t bytes = smallest << i;
      pools_[i] = core::BufferPool::create(bytes, std::max<std::size_t>(kept_bytes / bytes, 1));
    }
  }
  /// A buffer of size 0 and at least this capacity.
  [[nodiscard]] core::Buffer take(std::size_t bytes) {
    const auto index = static_cast<std::size_t>(
        std::countr_zero(std::bit_ceil(std::max(bytes, smallest))) - std::countr_zero(smallest));
    return index < pools_.size() ? pools_[index]->take() : core::Buffer::allocate(bytes);
  }

 private:
  static constexpr std::size_t smallest = 512;
  static constexpr std::size_t kept_bytes = std::size_t{4} << 20;
  std::array<core::BufferPool::Handle, 16> pools_;
};

}  // namespace roam::transport
