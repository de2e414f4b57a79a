// SPDX-License-Identifier: Apache-2.0
#include "roam/am/detail/send_path.hpp"

#include <memory>

#include "am/transmit.hpp"
#include "outbox_node.hpp"

namespace roam::am {

SendPath::SendPath(const TransmitQueue::Parts& parts)
    : endpoint_(parts.endpoint),
      engine_(parts.engine),
      flow_(parts.flow),
      coalescer_(parts.coalescer),
      is_direct_(endpoint_.capabilities().concurrent_send && endpoint_.capabilities().ordered &&
                 !endpoint_.capabilities().main_thread_only && coalescer_ == nullptr &&
                 flow_.credits() == nullptr),
      lock_(endpoint_.capabilities().main_thread_only),
      queue_(parts, *this) {}

SendPath::~SendPath() = default;

void SendPath::transmit(Rank destination, core::Buffer&& message, core::Buffer&& bulk,
                        transport::BulkTag tag) {
  if (is_direct_ || lock_.is_polling_here())
    return queue_.put(destination, std::move(message), std::move(bulk), tag);
  if (!lock_.try_lock())
    return put_into_outbox(destination, std::move(message), std::move(bulk), tag);
  {
    const core::LockGuard guard(lock_, std::adopt_lock);
    if (outbox_.may_have_some()) drain_outbox();
    queue_.put(destination, std::move(message), std::move(bulk), tag);
  }
  drain_what_came_meanwhile();
}

void SendPath::put_into_outbox(Rank destination, core::Buffer&& message, core::Buffer&& bulk,
                               transport::BulkTag tag) {
  // The handler is nested in poll() and ahead of it in time: poll() would send the message too
  // early.
  if (engine_.is_ahead_of_time())
    return transmit_in_time(destination, std::move(message), std::move(bulk), tag);
  core::Owned<OutboxNode> node(new OutboxNode);
  node->destination = destination;
  node->message = std::move(message);
  node->bulk = std::move(bulk);
  node->tag = tag;
  flow_.begin_waiting(node->memory_bytes());
  outbox_.put(std::move(node));
  drain_what_came_meanwhile();
}

void SendPath::transmit_in_time(Rank destination, core::Buffer&& message, core::Buffer&& bulk,
                                transport::BulkTag tag) {
  auto node = std::make_shared<OutboxNode>();
  node->destination = destination;
  node->message = std::move(message);
  node->bulk = std::move(bulk);
  node->tag = tag;
  engine_.call_at(engine_.now(), [this, node] {
    transmit(node->destination, std::move(node->message), std::move(node->bulk), node->tag);
  });
}

void SendPath::drain_and_hold_back(bool may_exceed) {
  drain_what_came_meanwhile();
  if (may_exceed) flow_.hold_back_sender();
}

void SendPath::drain_outbox() {
  while (const core::Owned<OutboxNode> node = outbox_.take()) {
    flow_.end_waiting(node->memory_bytes());
    queue_.put(node->destination, std::move(node->message), std::move(node->bulk), node->tag);
  }
}

void SendPath::add_to(exec::WorkingSet& set) const {
  set.add_from(this, &lock_ + 1);
  outbox_.add_to(set);
  set.add(queue_);
}

void SendPath::flush() {
  if (is_direct_ || !lock_.try_lock()) return;
  const core::LockGuard guard(lock_, std::adopt_lock);
  if (outbox_.may_have_some()) drain_outbox();
  queue_.flush_batches();
  queue_.send_all_waiting();
  endpoint_.flush();
}

}  // namespace roam::am
