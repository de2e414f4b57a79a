// SPDX-License-Identifier: Apache-2.0
#include "roam/core/detail/buffer.hpp"

#include <algorithm>
#include <cstring>

#include <mutex>
#include <new>

#include "roam/core/detail/buffer_pool.hpp"
#include "roam/core/detail/prefetch.hpp"
#include "roam/core/detail/thread_tag.hpp"
#include "roam/core/error.hpp"

namespace roam::core {

namespace {

// The alignment of a block. Blocks of pools start at a cache line, so that a short message and its
// header take as few cache lines as possible from core to core.
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
  void* memory = ::operator new(sizeof(Block) + capacity, alignment(pool), std::nothrow);
  if (memory == nullptr) [[unlikely]]
    throw OutOfMemory(capacity, "a message");
  return ::new (memory) Block(pool, capacity);
}

void Buffer::delete_block(Block* block) {
  delete block->link;
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

Lender* Buffer::lender() const {
  if (block_ == nullptr || block_->data == reinterpret_cast<std::byte*>(block_ + 1)) return nullptr;
  return static_cast<const BorrowedBlock*>(block_)->lender;
}

void Buffer::leave_to_program() {
  if (block_ == nullptr || block_->data == reinterpret_cast<std::byte*>(block_ + 1)) return;
  auto* const borrowed = static_cast<BorrowedBlock*>(block_);
  if (borrowed->lender != nullptr)
    borrowed->lender = borrowed->lender->leave_to_program({borrowed->data, borrowed->capacity});
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

BufferPool::Handle BufferPool::create(std::size_t block_bytes, std::size_t keep_blocks, Use use) {
  return Handle(new BufferPool(block_bytes, keep_blocks, use));
}

void BufferPool::FreeList::delete_all() {
  while (free != nullptr) Buffer::delete_block(pop());
}

BufferPool::~BufferPool() {
  own_.delete_all();
  shared_.delete_all();
}

Buffer::Block* BufferPool::take_slowly() {
  const std::uintptr_t self = this_thread_tag();
  Buffer::Block* block = nullptr;
  {
    const std::lock_guard guard(lock_);
    if (may_have_owner_ && has_handle_ && owner_.load(std::memory_order_relaxed) == 0)
      owner_.store(self, std::memory_order_relaxed);
    if (owner_.load(std::memory_order_relaxed) == self) {
      shared_.move_to(own_, std::max(most_own_ / 2, std::size_t{1}));  // the owner's list is empty
      publish_shared_count();
      count_own(1);
      if (own_.free != nullptr) block = own_.pop();
    } else {
      // relaxed: the caller has the handle, so the pool cannot go.
      others_in_use_.fetch_add(1, std::memory_order_relaxed);
      if (shared_.free != nullptr) block = shared_.pop();
      publish_shared_count();
    }
  }
  if (block == nullptr) block = Buffer::new_block(this, block_bytes_);
  block->size = 0;
  return block;
}

std::size_t BufferPool::blocks_in_use() const {
  const std::int64_t count = others_in_use_.load(std::memory_order_relaxed) - handle +
                             own_in_use_.load(std::memory_order_relaxed);
  return static_cast<std::size_t>(std::max<std::int64_t>(count, 0));
}

void BufferPool::recycle_other(Buffer::Block* block) {
  BufferPool* const from = block->pool;
  const bool is_wanted =
      from != nullptr && block->capacity == block_bytes_ && is_owner() &&
      own_.count + shared_count_.load(std::memory_order_relaxed) < std::min(few, keep_);
  if (!is_wanted) return Buffer::give_back(block);
  prefetch_to_write(block + 1);  // the first bytes are probably written next
  block->pool = this;
  own_.push(block);
  from->count_returned_by_others();
}

void BufferPool::give_back_slowly(Buffer::Block* block) {
  bool is_own = false;
  {
    const std::lock_guard guard(lock_);
    is_own = is_owner();
    if (is_own) {  // the owner's list is full
      count_own(-1);
      own_.move_to(shared_, std::min(most_own_ / 2, keep_ - shared_.count));
    }
    if (has_handle_ && shared_.count < keep_) {
      shared_.push(block);
      publish_shared_count();
      block = nullptr;
    }
  }
  if (block != nullptr) Buffer::delete_block(block);
  if (!is_own) count_returned_by_others();
}

// The caller touches the pool no more.
void BufferPool::count_returned_by_others() {
  // release: what was done with the block, and with the pool, happens before the pool's end;
  // acquire: the thread that deletes the pool does so after all that.
  if (others_in_use_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

void BufferPool::release_handle() {
  std::int64_t own = 0;
  {
    const std::lock_guard guard(lock_);
    has_handle_ = false;
    owner_.store(0, std::memory_order_relaxed);
    own = own_in_use_.load(std::memory_order_relaxed);
  }
  // Blocks that the owner has taken are from here on returned as by any other thread.
  if (others_in_use_.fetch_add(own - handle, std::memory_order_acq_rel) == handle - own)
    delete this;
}

}  // namespace roam::core
