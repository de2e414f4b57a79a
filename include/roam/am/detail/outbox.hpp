// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "roam/core/detail/mpsc_queue.hpp"
#include "roam/core/detail/owned.hpp"
#include "roam/exec/detail/working_set.hpp"

namespace roam::am {

struct OutboxNode;

/// Stores messages of threads that did not get the endpoint; the thread that has it sends them. Any
/// thread puts, one at a time takes.
class Outbox {
 public:
  Outbox() = default;
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;
  ~Outbox();

  void put(core::Owned<OutboxNode> node);
  /// The next one, or nullptr.
  [[nodiscard]] core::Owned<OutboxNode> take();
  /// Whether there is something to take, for the thread that has the endpoint. The answer may be
  /// outdated when it returns.
  [[nodiscard]] bool may_have_some() const { return size_.load(std::memory_order_relaxed) > 0; }
  /// The same for a thread that has just released the endpoint: it sees the message of every thread
  /// that did not get the endpoint until then.
  [[nodiscard]] bool has_some() const { return size_.load(std::memory_order_seq_cst) > 0; }
  /// Adds what is used all the time: whether there is something.
  void add_to(exec::WorkingSet& set) const { set.add(size_); }

 private:
  core::MpscQueue nodes_;
  std::atomic<std::uint32_t> size_{0};
};

}  // namespace roam::am
