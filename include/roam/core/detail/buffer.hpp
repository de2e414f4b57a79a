// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "roam/core/detail/mpsc_queue.hpp"
#include "roam/core/detail/prefetch.hpp"

namespace roam::core {

class BufferPool;
class HandoverQueue;

/// Owner of memory that a borrowed Buffer refers to.
class Lender {
 public:
  /// Says that the buffer is gone and does not touch the memory any more. Called once for each
  /// buffer lent, by whatever thread releases it, also from inside transports: it must neither
  /// block, nor throw, nor send.
  virtual void take_back(std::span<std::byte> memory) noexcept = 0;
  /// Says that the program owns the buffer from here on, for as long as it likes: the memory no
  /// longer counts as used by the runtime. Returns the lender whose take_back() is called when the
  /// buffer is gone.
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
  /// A buffer over `memory`, which must stay until the buffer releases it: then
  /// lender->take_back(memory) is called (nullptr: nobody is told). Size and capacity are
  /// memory.size(). A buffer that has to grow moves to the heap and releases the memory.
  static Buffer borrow(std::span<std::byte> memory, Lender* lender);
  /// Like borrow(), over memory that may only be read: for sending.
  static Buffer borrow_to_send(std::span<const std::byte> memory, Lender* lender) {
    return borrow({const_cast<std::byte*>(memory.data()), memory.size()}, lender);
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
  /// Grows the capacity to at least `capacity` and preserves the contents. May move to another
  /// (heap) block.
  void reserve(std::size_t capacity);
  /// Copies `length` bytes to the end, growing as needed.
  void append(const void* source, std::size_t length);
  /// The lender of a borrowed buffer's memory, nullptr if it has none; nullptr for buffers that are
  /// not borrowed.
  [[nodiscard]] Lender* lender() const;
  /// Leaves the memory to the program: see Lender. Blocks of a pool, which are small, remain the
  /// pool's.
  void leave_to_program();
  /// Gives the block back to where it came from; the buffer is then empty.
  void reset() {
    if (block_ != nullptr) give_back(std::exchange(block_, nullptr));
  }
  /// Memory for an object behind the contents, in the buffer's spare capacity; nullptr if there is
  /// not enough. Whoever uses it must not append.
  [[nodiscard]] void* spare_space(std::size_t bytes, std::size_t alignment) {
    if (block_ == nullptr) return nullptr;
    // Blocks are aligned to 16 bytes; borrowed ones have no spare capacity.
    const std::size_t start = (block_->size + alignment - 1) / alignment * alignment;
    const bool fits = alignment <= 16 && start + bytes <= block_->capacity;
    return fits ? block_->data + start : nullptr;
  }

  /// One word that travels with the block, for the use of whoever holds the buffer at the moment (a
  /// queue, a network). It does not outlast the passage to another layer. Requires a block.
  [[nodiscard]] std::uint64_t note() const { return block_->note; }
  void set_note(std::uint64_t note) { block_->note = note; }
  /// Gives the block up as a queue node, so that queueing a buffer allocates nothing; adopt() makes
  /// it a buffer again. nullptr if there is no block.
  [[nodiscard]] MpscNode* release() { return std::exchange(block_, nullptr); }
  [[nodiscard]] static Buffer adopt(MpscNode* node) { return Buffer(static_cast<Block*>(node)); }
  /// Prefetches a block that has been given up and not adopted yet, and the first `bytes` behind
  /// it, where its contents are as a rule.
  static void look_ahead(const MpscNode* node, std::size_t bytes) {
    prefetch_to_write(node, sizeof(Block) + bytes);
  }
  struct View {
    std::span<const std::byte> data;
    std::uint64_t note;
  };
  /// The contents and the note of a block that has been given up and not adopted yet.
  [[nodiscard]] static View look_at(const MpscNode* node) {
    const auto* const block = static_cast<const Block*>(node);
    return {{block->data, block->size}, block->note};
  }

 private:
  friend class BufferPool;
  friend class HandoverQueue;
  struct Block;
  // A node of a HandoverQueue, on a cache line of its own.
  struct alignas(64) Link {
    std::atomic<Link*> next{nullptr};  // written by the producer that follows
    // Written by the same producer before `next`:
    Block* block = nullptr;
    std::uint64_t note = 0;
    std::size_t bytes = 0;
  };
  // The MpscNode links the block into whatever list holds it: the pool's free list, or a queue of
  // released buffers.
  struct alignas(16) Block : MpscNode {
    Block(BufferPool* owner, std::size_t bytes)
        : pool(owner), capacity(bytes), data(reinterpret_cast<std::byte*>(this + 1)) {}
    BufferPool* pool;  // nullptr: from the heap, or borrowed
    std::size_t size = 0;
    std::size_t capacity;
    std::uint64_t note = 0;
    std::byte* data;       // behind the block, or borrowed memory
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
