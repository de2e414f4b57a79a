// SPDX-License-Identifier: Apache-2.0
#include "roam/am/detail/message_memory.hpp"

#include <algorithm>

#include "batch_run.hpp"

namespace roam::am {

namespace {
constexpr std::size_t pooled_message_bytes = 1024;
constexpr std::size_t kept_messages = 4096;  // per slot
constexpr std::size_t kept_batch_runs = 256;
// The space for a handler's run, which lies behind its message.
constexpr std::size_t bytes_for_run = 192;

core::BufferPool::Handle make_entry_pool(std::size_t block_bytes) {
  return core::BufferPool::create(block_bytes, kept_messages, core::BufferPool::Use::many_threads);
}
}  // namespace

MessageMemory::MessageMemory(const exec::Engine& engine, std::size_t pooled_bytes)
    : entries_{make_entry_pool(256), make_entry_pool(512), make_entry_pool(1408)},
      batch_runs_(core::BufferPool::create(sizeof(BatchRun), kept_batch_runs)) {
  for (std::uint32_t slot = 0; slot < engine.slot_count(); ++slot) {
    using Use = core::BufferPool::Use;
    pools_.push_back(core::BufferPool::create(
        std::min(pooled_bytes, pooled_message_bytes), kept_messages,
        slot == engine.outside_slot() ? Use::many_threads : Use::mostly_one_thread));
  }
}

MessageMemory::~MessageMemory() = default;

core::BufferPools& MessageMemory::large() {
  std::call_once(large_made_, [this] {
    large_ = std::make_unique<core::BufferPools>(core::BufferPool::Use::many_threads);
    has_large_.store(true, std::memory_order_release);
  });
  return *large_;
}

core::Buffer MessageMemory::take_entry(std::size_t bytes) {
  std::size_t pool = 0;
  while (pool + 1 < entries_.size() && bytes + bytes_for_run > entries_[pool]->block_bytes())
    ++pool;
  return entries_[pool]->take(bytes);
}

std::size_t MessageMemory::sent_bytes_in_use() const {
  std::size_t bytes = 0;
  for (const auto& pool : pools_) bytes += pool->blocks_in_use() * pool->block_bytes();
  if (has_large_.load(std::memory_order_acquire)) bytes += large_->bytes_in_use();
  return bytes;
}

std::size_t MessageMemory::entry_bytes_in_use() const {
  std::size_t bytes = 0;
  for (const auto& pool : entries_) bytes += pool->blocks_in_use() * pool->block_bytes();
  return bytes;
}

void MessageMemory::add_to(exec::WorkingSet& set) const {
  set.add(pools_[0]);
  set.add(*pools_[0]);
}

}  // namespace roam::am
