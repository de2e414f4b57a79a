// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "roam/core/serialise.hpp"
#include "roam/placement/distributed.hpp"

namespace roam::placement {

/// What a rank receives in a step.
using Received = std::span<const StepMessage>;

/// Sends a message that consists of these parts, one after the other.
template <class... T>
void send_to(StepHost& host, std::int32_t rank, const T&... parts) {
  core::Packer packer = host.message();
  (core::pack(packer, parts), ...);
  host.send(rank, std::move(packer));
}

}  // namespace roam::placement
