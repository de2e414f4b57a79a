// SPDX-License-Identifier: Apache-2.0
#include "roam/flow/detail/value_memory.hpp"

#include <functional>

#include "roam/flow/core.hpp"

namespace roam::flow {

TypeSizes::Entry* TypeSizes::of(const char* type) {
  const std::size_t first = (std::hash<const void*>()(type) >> 4) % entries_.size();
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[(first + i) % entries_.size()];
    const char* known = entry.type.load(std::memory_order_relaxed);
    if (known == type) return &entry;
    if (known != nullptr) continue;
    if (entry.type.compare_exchange_strong(known, type, std::memory_order_relaxed) || known == type)
      return &entry;
  }
  return nullptr;
}

namespace detail {

TypeSizes& sizes_of(Core& core) { return core.sizes(); }

bool may_copy(Core& core, std::int64_t bytes) {
  CopyCounts& counts = core.copy_counts();
  if (counts.held.fetch_add(bytes, std::memory_order_relaxed) + bytes <= counts.quota) {
    counts.copies.fetch_add(1, std::memory_order_relaxed);
    counts.bytes.fetch_add(static_cast<std::uint64_t>(bytes), std::memory_order_relaxed);
    return true;
  }
  counts.held.fetch_sub(bytes, std::memory_order_relaxed);
  counts.refused.fetch_add(1, std::memory_order_relaxed);
  return false;
}

CopiedBytes::~CopiedBytes() {
  core_.copy_counts().held.fetch_sub(bytes_, std::memory_order_relaxed);
}

HeldBytes::~HeldBytes() {
  if (core_ != nullptr) core_->hold(-bytes_);
}

void HeldBytes::set(Core& core, std::int64_t bytes) {
  if (core_ != nullptr) core_->hold(-bytes_);
  core_ = &core;
  bytes_ = bytes;
  core.hold(bytes);
}

}  // namespace detail

}  // namespace roam::flow
