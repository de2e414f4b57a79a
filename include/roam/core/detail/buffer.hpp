// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "roam/core/detail/mpsc_queue.hpp"

namespace roam::core {

class BufferPool;
class HandoverQueue;

/// Owner of memory that a borrowed Buffer refers to.
class Lender {
 public:
  /// The buffer is gone and touches the memory no more. Once for each buffer lent; called by
  /// whatever thread lets go of it, inside transports too: must neither block, nor throw, nor send.
  virtual void take_back(std::span<std::byte> memory) noexcept = 0;
  /// The program keeps the buffer from here on, for as long as it likes: no longer the runtime's
  /// use of the memory. Returns who is told when it is gone.
  [[nodiscard]] virtual Lender* leave_to_program(std::span<std::byte> /*memory*/) noexcept {
    return this;
  }

 protected:
  ~Lender() = default;
};

/// Sole owner of a block of bytes, from a pool (returned there on destruction, from any thread) or
/// from the heap; or, borrowed, the temporary user of somebody else's memory. Moving is a pointer
/// copy: buffers travel between layers, threads and in-process ranks without being copied. Data is
/// aligned to 16 bytes, borrowed data as its owner has it. Not thread-safe itself.
class Buffer {
 public:
  Buffer() = default;
  /// A heap block of `capacity` bytes, size 0.
  static Buffer allocate(std::size_t capacity);
  /// A buffer over `memory`, which must stay until the buffer lets go of it: then
  /// lender->take_back(memory) is called (nullptr: nobody is told). Size and capacity are
  /// memory.size(). One that has to grow moves to the heap and lets go.
  static Buffer borrow(std::span<std::byte> memory, Lender* lender);
  /// The same over memory that may only be read: for sending.
  static Buffer borrow_to_send(std::span<const std::byte> memory, Lender* lender) {
    return borrow(std::span(const_cast<std::byte*>(memory.data()), memory.size()), lender);
  }
  Buffer(Buffer&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    if (this != &other) {
      reset();
      block_ = std::exchange(other.block_, nullptr);
    }
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { reset(); }

  [[nodiscard]] explicit operator bool() const { return block_ != nullptr; }
  [[nodiscard]] std::byte* data() { return block_ == nullptr ? nullptr : block_->data; }
  [[nodiscard]] const std::byte* data() const { return block_ == nullptr ? nullptr : block_->data; }
  [[nodiscard]] std::size_t size() const { return block_ == nullptr ? 0 : block_->size; }
  [[nodiscard]] std::size_t capacity() const { return block_ == nullptr ? 0 : block_->capacity; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return {data(), size()}; }
  [[nodiscard]] std::span<std::byte> bytes() { return {data(), size()}; }

  /// Sets the used size; new bytes are uninitialised. Requires size <= capacity().
  void set_size(std::size_t size) { block_->size = size; }
  /// Grows the capacity to at least `capacity`, keeping the contents. May move to another (heap)
  /// block.
  void reserve(std::size_t capacity);
  /// Copies `length` bytes to the end, growing as needed.
  void append(const void* source, std::size_t length);
  /// Of a borrowed buffer, who is told when it is gone, if anybody; nullptr of others.
  [[nodiscard]] Lender* lender() const;
  /// The program keeps it: see Lender. Pooled blocks, which are small, stay the pool's.
  void leave_to_program();
  /// Gives the block back.
  void reset() {
    if (block_ != nullptr) give_back(std::exchange(block_, nullptr));
  }
  /// Memory for an object behind the contents, in the buffer's spare capacity; nullptr if there is
  /// not enough. Whoever uses it does not append.
  [[nodiscard]] void* spare_space(std::size_t bytes, std::size_t alignment) {
    if (block_ == nullptr) return nullptr;
    // Blocks are aligned to 16 bytes; borrowed ones have no spare capacity.
    const std::size_t start = (block_->size + alignment - 1) / alignment * alignment;
    const bool fits = alignment <= 16 && start + bytes <= block_->capacity;
    return fits ? block_->data + start : nullptr;
  }

  /// One word that travels with the block, for whoever holds the buffer at the moment (a queue, a
  /// network): nothing keeps it across layers. Requires a block.
  [[nodiscard]] std::uint64_t note() const { return block_->note; }
  void set_note(std::uint64_t note) { block_->note = note; }
  /// Gives the block up as a queue node, so that queueing a buffer allocates nothing; adopt() makes
  /// it a buffer again. nullptr if there is no block.
  [[nodiscard]] MpscNode* release() { return std::exchange(block_, nullptr); }
  [[nodiscard]] static Buffer adopt(MpscNode* node) { return Buffer(static_cast<Block*>(node)); }

 private:
  friend class BufferPool;
  friend class HandoverQueue;
  struct Block;
  // Of HandoverQueue, on a cache line of its own.
  struct alignas(64) Link {
    std::atomic<Link*> next{nullptr};  // written by the producer that follows
    // By the same, before:
    Block* block = nullptr;
    std::uint64_t note = 0;
    std::size_t bytes = 0;
  };
  // The hook serves whoever holds the block: the pool's free list, or a queue of released buffers.
  struct alignas(16) Block : MpscNode {
    Block(BufferPool* owner, std::size_t bytes)
        : pool(owner), capacity(bytes), data(reinterpret_cast<std::byte*>(this + 1)) {}
    BufferPool* pool;  // nullptr: heap, or borrowed
    std::size_t size = 0;
    std::size_t capacity;
    std::uint64_t note = 0;
    std::byte* data;       // behind the block, or somebody else's
    Link* link = nullptr;  // for the next push to a HandoverQueue; made when first needed
  };
  struct BorrowedBlock;
  explicit Buffer(Block* block) : block_(block) {}
  static Block* new_block(BufferPool* pool, std::size_t capacity);
  static void delete_block(Block* block);
  static void give_back(Block* block);

  Block* block_ = nullptr;
};

}  // namespace roam::core
