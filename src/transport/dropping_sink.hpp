// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "roam/transport/endpoint.hpp"

namespace roam::transport {

/// Drops what arrives while an endpoint closes.
class DroppingSink final : public Sink {
 public:
  void message(Rank /*source*/, core::Buffer&& /*data*/) override {}
  void bulk(Rank /*source*/, BulkTag /*tag*/, core::Buffer&& /*data*/) override {}
  void peer_failed(Rank /*peer*/, const char* /*reason*/) override {}
};

}  // namespace roam::transport
