// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "roam/core/types.hpp"
#include "roam/transport/endpoint.hpp"

namespace roam::transport {

/// Says what a buffer handed over inside the process is; stored in core::Buffer::note().
struct RoutingNote {
  enum class Kind : std::uint8_t {
    message,
    bulk,
    bulk_announcement,
    loss  ///< the source has been lost
  };

  Kind kind = Kind::message;
  Rank source;
  BulkTag tag = 0;

  [[nodiscard]] static constexpr std::uint64_t pack(Kind kind, Rank source, BulkTag tag) {
    return static_cast<std::uint64_t>(source.index()) << 34 |
           static_cast<std::uint64_t>(kind) << 32 | tag;
  }
  [[nodiscard]] static constexpr RoutingNote unpack(std::uint64_t note) {
    return {static_cast<Kind>(note >> 32 & 3), Rank(static_cast<std::int32_t>(note >> 34)),
            static_cast<BulkTag>(note)};
  }
};

}  // namespace roam::transport
