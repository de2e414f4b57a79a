// SPDX-License-Identifier: Apache-2.0
#include "roam/core/detail/buffer_pools.hpp"

#include <algorithm>
#include <bit>

namespace roam::core {

Buffer BufferPools::take(std::size_t bytes) {
  if (bytes <= smallest) return pools_[0]->take();
  const auto index =
      static_cast<std::size_t>(std::countr_zero(std::bit_ceil(bytes)) - std::countr_zero(smallest));
  if (index < pools_.size()) return pools_[index]->take();
  return bytes <= LargeBlocks::largest ? large_->take(bytes) : larger_.take(bytes);
}

}  // namespace roam::core
