// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "roam/transport/network.hpp"

namespace roam::transport {

/// Connects ranks inside one process, each on threads of its own or all on one thread. A message is
/// a pointer that moves: the receiver's sink gets the block that the sender has filled, queued
/// without allocation or lock.
///
/// Endpoints: ordered, concurrent_send, wakes. close() does not wait for other ranks (they may live
/// on the same thread); what is sent to a closed rank is dropped. close(true) is reported to all
/// others as peer_failed.
class InProcessNetwork final : public Network {
 public:
  /// Throws roam::ConfigError unless ranks > 0.
  explicit InProcessNetwork(std::int32_t ranks);
  ~InProcessNetwork() override;

  [[nodiscard]] std::int32_t size() const override;
  [[nodiscard]] std::vector<Rank> local_ranks() const override;
  [[nodiscard]] std::unique_ptr<Endpoint> endpoint(Rank rank) override;
  [[nodiscard]] const char* name() const override { return "in-process"; }
  [[noreturn]] void abort(int status) override;

 private:
  class Port;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace roam::transport
