// SPDX-License-Identifier: Apache-2.0
#include "roam/am/detail/outbox.hpp"

#include "outbox_node.hpp"

namespace roam::am {

Outbox::~Outbox() {
  while (core::MpscNode* node = nodes_.pop()) delete static_cast<OutboxNode*>(node);
}

void Outbox::put(core::Owned<OutboxNode> node) {
  nodes_.push(node.release());
  size_.fetch_add(1, std::memory_order_seq_cst);
}

core::Owned<OutboxNode> Outbox::take() {
  core::Owned<OutboxNode> node(static_cast<OutboxNode*>(nodes_.pop()));
  if (node != nullptr) size_.fetch_sub(1, std::memory_order_relaxed);
  return node;
}

}  // namespace roam::am
