// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "roam/core/detail/buffer_pools.hpp"

namespace roam::transport {

/// Memory for what is received.
using ReceivePools = core::BufferPools;

}  // namespace roam::transport
