// SPDX-License-Identifier: Apache-2.0
#include "roam/core/buffer.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>

#include "roam/core/buffer_pool.hpp"

namespace roam::core {

namespace {

// Pooled blocks start a cache line, so that a short message and its header cross between cores on
// as few as can be.
std::align_val_t alignment(const BufferPool* pool) {
  return std::align_val_t{pool != nullptr ? 64U : 16U};
}

}  // namespace

struct Buffer::BorrowedBlock : Block {
  BorrowedBlock(std::span<std::byte> memory, Lender* owner)
      : Block(nullptr, memory.size()), lender(owner) {
    data = memory.data();
    size = memory.size();
  }
  Lender* lender;
};

Buffer Buffer::borrow(std::span<std::byte> memory, Lender* lender) {
  return Buffer(new BorrowedBlock(memory, lender));
}

Buffer::Block* Buffer::new_block(BufferPool* pool, std::size_t capacity) {
  static_assert(alignof(Block) == 16);
  void* memory = ::operator new(sizeof(Block) + capacity, alignment(pool));
  return ::new (memory) Block(pool, capacity);
}

void Buffer::delete_block(Block* block) {
  if (block->data == reinterpret_cast<std::byte*>(block + 1)) {
    ::operator delete(block, alignment(block->pool));
    return;
  }
  const auto* borrowed = static_cast<BorrowedBlock*>(block);
  Lender* const lender = borrowed->lender;
  const std::span memory(borrowed->data, borrowed->capacity);
  delete borrowed;
  if (lender != nullptr) lender->take_back(memory);
}

Buffer Buffer::allocate(std::size_t capacity) { return Buffer(new_block(nullptr, capacity)); }

void Buffer::give_back(Block* block) {
  if (block->pool != nullptr) {
    block->pool->give_back(block);
  } else {
    delete_block(block);
  }
}

void Buffer::reserve(std::size_t wanted) {
  if (wanted <= capacity()) return;
  Buffer larger = allocate(std::max(wanted, capacity() * 2));
  if (size() > 0) std::memcpy(larger.data(), data(), size());
  larger.set_size(size());
  *this = std::move(larger);
}

void Buffer::append(const void* source, std::size_t length) {
  if (length == 0) return;
  reserve(size() + length);
  std::memcpy(data() + size(), source, length);
  set_size(size() + length);
}

BufferPool::Handle BufferPool::create(std::size_t block_bytes, std::size_t keep_blocks) {
  return Handle(new BufferPool(block_bytes, keep_blocks));
}

BufferPool::~BufferPool() {
  while (free_ != nullptr) Buffer::delete_block(std::exchange(free_, next_free(free_)));
}

Buffer BufferPool::take() {
  Buffer::Block* block = nullptr;
  {
    const std::lock_guard guard(lock_);
    ++in_use_;
    if (free_ != nullptr) {
      block = std::exchange(free_, next_free(free_));
      --free_count_;
    }
  }
  if (block == nullptr) block = Buffer::new_block(this, block_bytes_);
  block->size = 0;
  return Buffer(block);
}

std::size_t BufferPool::blocks_in_use() {
  const std::lock_guard guard(lock_);
  return in_use_;
}

void BufferPool::give_back(Buffer::Block* block) {
  bool last = false;
  {
    const std::lock_guard guard(lock_);
    --in_use_;
    last = !owned_ && in_use_ == 0;
    if (owned_ && free_count_ < keep_) {
      block->next.store(free_,
                        std::memory_order_relaxed);  // under lock_, like every use of the free list
      free_ = block;
      ++free_count_;
      block = nullptr;
    }
  }
  if (block != nullptr) Buffer::delete_block(block);
  if (last) delete this;
}

void BufferPool::release_owner() {
  bool last = false;
  {
    const std::lock_guard guard(lock_);
    owned_ = false;
    last = in_use_ == 0;
  }
  if (last) delete this;
}

}  // namespace roam::core
