// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "roam/core/detail/mpsc_queue.hpp"
#include "roam/core/detail/owned.hpp"

namespace roam::am {

struct OutboxNode;

/// Messages of threads that did not get the endpoint; whoever has it sends them. Any thread puts,
/// one at a time takes.
class Outbox {
 public:
  Outbox() = default;
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;
  ~Outbox();

  void put(core::Owned<OutboxNode> node);
  /// The next one, or nullptr.
  [[nodiscard]] core::Owned<OutboxNode> take();
  /// By whoever has the endpoint: whether there is something to take, about this moment.
  [[nodiscard]] bool may_have_some() const { return size_.load(std::memory_order_relaxed) > 0; }
  /// By whoever has just let go of the endpoint: whoever has put one before, and did not get the
  /// endpoint then, is seen here.
  [[nodiscard]] bool has_some() const { return size_.load(std::memory_order_seq_cst) > 0; }

 private:
  core::MpscQueue nodes_;
  std::atomic<std::uint32_t> size_{0};
};

}  // namespace roam::am
