// SPDX-License-Identifier: Apache-2.0
#include "roam/flow/detail/block_pool.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "roam/exec/engine.hpp"

namespace roam::flow {

namespace {

std::byte* aligned_memory(std::size_t alignment, std::size_t bytes) {
  void* memory = nullptr;
  if (posix_memalign(&memory, alignment, bytes) != 0) throw std::bad_alloc();
  return static_cast<std::byte*>(memory);
}

bool is_in_use(const void* block) {
  void* first = nullptr;
  std::memcpy(&first, block, sizeof first);
  return first != nullptr;
}

}  // namespace

BlockPool::BlockPool(const exec::Engine& engine, Core& core)
    : engine_(engine),
      core_(core),
      shared_slot_(engine.outside_slot()),
      slots_(new Slot[engine.slot_count()]) {}

BlockPool::~BlockPool() {
  for (void* row : rows_) std::free(row);
  for (void* single : singles_) std::free(single);
}

void BlockPool::free(void* block) { page_of(block).pool->give_back(block); }

void* BlockPool::take(Kind kind, std::size_t bytes) {
  const std::size_t units = (bytes + unit - 1) / unit;
  if (units > size_classes) return take_single(kind, bytes);
  const auto size_class =
      static_cast<std::uint32_t>(units - 1 + (kind == Kind::instance ? size_classes : 0));
  const std::uint32_t slot = engine_.this_slot();
  Slot& own = slots_[slot];
  if (slot != shared_slot_) return take_from(own.caches[size_class], size_class);
  const core::LockGuard guard(own.lock);
  return take_from(own.caches[size_class], size_class);
}

void* BlockPool::take_from(Cache& cache, std::uint32_t size_class) {
  if (cache.first == nullptr) refill(cache, size_class);
  Free* const block = cache.first;
  cache.first = block->next;
  --cache.count;
  return block;
}

void BlockPool::give_back(void* block) {
  const std::uint32_t size_class = page_of(block).size_class;
  if (size_class == classes) return give_back_single(block);
  const std::uint32_t slot = engine_.this_slot();
  Slot& own = slots_[slot];
  Free* to_pass_on = nullptr;
  if (slot == shared_slot_) {
    const core::LockGuard guard(own.lock);
    to_pass_on = put_into(own.caches[size_class], block);
  } else {
    to_pass_on = put_into(own.caches[size_class], block);
  }
  if (to_pass_on != nullptr) pass_on(to_pass_on, size_class);
}

BlockPool::Free* BlockPool::put_into(Cache& cache, void* block) {
  cache.first = ::new (block) Free{nullptr, cache.first, nullptr};
  if (++cache.count < batch) return nullptr;
  cache.count = 0;
  return std::exchange(cache.full, std::exchange(cache.first, nullptr));
}

void BlockPool::pass_on(Free* one_batch, std::uint32_t size_class) {
  const core::LockGuard guard(lock_);
  one_batch->next_batch = std::exchange(batches_[size_class], one_batch);
}

void BlockPool::refill(Cache& cache, std::uint32_t size_class) {
  cache.first = std::exchange(cache.full, nullptr);
  if (cache.first == nullptr) {
    const core::LockGuard guard(lock_);
    cache.first = batches_[size_class];
    if (cache.first != nullptr) {
      batches_[size_class] = cache.first->next_batch;
    } else {
      cache.first = new_page(size_class);
    }
  }
  cache.count = 0;
  for (const Free* free = cache.first; free != nullptr; free = free->next) ++cache.count;
}

void BlockPool::new_row() {
  const std::size_t pages = std::min(most_pages_of_row, 1 + pages_.size() / 32);
  const std::size_t bytes = pages * page_bytes - allocator_bytes;
  rows_.push_back(nullptr);
  next_page_ = aligned_memory(page_bytes, bytes);
  rows_.back() = next_page_;
  row_bytes_ = bytes;
}

BlockPool::Free* BlockPool::new_page(std::uint32_t size_class) {
  if (row_bytes_ == 0) new_row();
  std::byte* const memory = next_page_;
  const std::size_t end = std::min(page_bytes, row_bytes_);
  next_page_ += end;
  row_bytes_ -= end;
  pages_.push_back(memory);
  const Kind kind = size_class < size_classes ? Kind::task : Kind::instance;
  ::new (memory) Page{this, size_class, kind, 0, static_cast<std::uint32_t>(end)};
  const std::size_t bytes = (size_class % size_classes + 1) * unit;
  Free* first = nullptr;
  for (std::size_t at = unit; at + bytes <= end; at += bytes)
    first = ::new (memory + at) Free{nullptr, first, nullptr};
  return first;
}

void* BlockPool::take_single(Kind kind, std::size_t bytes) {
  std::byte* const memory = aligned_memory(page_bytes, bytes + unit);
  const core::LockGuard guard(lock_);
  ::new (memory) Page{this, classes, kind, static_cast<std::uint32_t>(singles_.size()), 0};
  singles_.push_back(memory);
  return memory + unit;
}

void BlockPool::give_back_single(void* block) {
  Page& page = page_of(block);
  {
    const core::LockGuard guard(lock_);
    singles_[page.place] = singles_.back();
    static_cast<Page*>(singles_.back())->place = page.place;
    singles_.pop_back();
  }
  std::free(&page);
}

void BlockPool::for_each(Kind kind, const std::function<void(void*)>& visit) {
  std::vector<void*> pages;
  {
    const core::LockGuard guard(lock_);
    pages = pages_;
  }
  for (void* page : pages) {
    const Page& head = *static_cast<Page*>(page);
    if (head.kind != kind) continue;
    const std::size_t bytes = (head.size_class % size_classes + 1) * unit;
    for (std::size_t at = unit; at + bytes <= head.bytes; at += bytes) {
      void* const block = static_cast<std::byte*>(page) + at;
      if (is_in_use(block)) visit(block);
    }
  }
  // A visit may free any of them, so they are copied first.
  std::vector<void*> singles;
  {
    const core::LockGuard guard(lock_);
    singles = singles_;
  }
  const auto is_there = [&](void* single) {
    const core::LockGuard guard(lock_);
    return std::find(singles_.begin(), singles_.end(), single) != singles_.end();
  };
  for (void* single : singles) {
    if (!is_there(single) || static_cast<Page*>(single)->kind != kind) continue;
    void* const block = static_cast<std::byte*>(single) + unit;
    if (is_in_use(block)) visit(block);
  }
}

std::size_t BlockPool::bytes() const {
  const core::LockGuard guard(lock_);
  return pages_.size() * page_bytes;
}

}  // namespace roam::flow
