// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "roam/core/detail/buffer.hpp"
#include "roam/core/detail/mpsc_queue.hpp"
#include "roam/core/types.hpp"

namespace roam::am {

/// A message, with or without bulk data, that waits until the thread that has the endpoint sends
/// it.
struct OutboxNode final : core::MpscNode {
  Rank destination;
  core::Buffer message;
  core::Buffer bulk;
  std::uint32_t tag = 0;
  [[nodiscard]] std::size_t memory_bytes() const { return message.capacity() + bulk.capacity(); }
};

}  // namespace roam::am
