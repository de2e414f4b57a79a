// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace roam::flow {

/// Subtracts `count` from the number of things that something still waits for. Returns true for
/// the last caller, which then sees what all others have done before. It does not write: nobody
/// else uses the number any more, and a locked instruction is saved.
[[nodiscard]] inline bool counts_to_zero(std::atomic<std::uint32_t>& left, std::uint32_t count) {
  return left.load(std::memory_order_acquire) == count ||
         left.fetch_sub(count, std::memory_order_acq_rel) == count;
}

}  // namespace roam::flow
