// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "roam/core/detail/spin_lock.hpp"

namespace roam::exec {
class Engine;
}  // namespace roam::exec

namespace roam::flow {

class Core;

/// The memory of a Flow's tasks and instances, which are made by one thread and freed by another,
/// by the million. Blocks are multiples of 64 bytes with the same alignment, in pages of 4 KiB that
/// know their pool; each slot of the engine stores some free blocks and passes them on to the
/// others in batches. Therefore a lock is taken only once for 32 blocks, and blocks that are still
/// in use at the end can be found. Pages are allocated in rows, which grow with the pool.
class BlockPool {
 public:
  enum class Kind : std::uint8_t { task, instance };
  BlockPool(const exec::Engine& engine, Core& core);
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;
  ~BlockPool();

  /// Allocates a block for an object that begins with a pointer to virtual functions, by which
  /// blocks in use are recognised.
  [[nodiscard]] void* take(Kind kind, std::size_t bytes);
  /// Returns a block to the pool that it belongs to. Its object has been destroyed. Any thread.
  static void free(void* block);
  /// The Core whose pool a block belongs to.
  [[nodiscard]] static Core& core_of(const void* block) { return page_of(block).pool->core_; }
  /// Calls `visit(block)` for each block in use; it may free this block and others. No other thread
  /// may be active.
  void for_each(Kind kind, const std::function<void(void*)>& visit);
  /// Size of all its pages that are in use.
  [[nodiscard]] std::size_t bytes() const ROAM_EXCLUDES(lock_);

 private:
  static constexpr std::size_t unit = 64;
  static constexpr std::size_t page_bytes = 4096;
  /// What a C library stores beside each piece of memory. The last page of a row is shorter by
  /// that, so that rows lie next to each other: between pieces of whole pages with that alignment,
  /// glibc leaves nearly a page.
  static constexpr std::size_t allocator_bytes = 16;
  static constexpr std::size_t most_pages_of_row = 16;
  static constexpr std::size_t size_classes = 16;  // up to 1 KiB
  static constexpr std::size_t classes = 2 * size_classes;
  static constexpr std::uint32_t batch = 32;

  struct Page {
    BlockPool* pool;
    std::uint32_t size_class;  // `classes`: a single block
    Kind kind;
    std::uint32_t place;  // of a single block: index in singles_
    std::uint32_t bytes;  // of a page of blocks
  };
  struct Free {
    void* in_use;  // nullptr
    Free* next;
    Free* next_batch;
  };
  struct Cache {
    Free* first = nullptr;
    std::uint32_t count = 0;
    Free* full = nullptr;  // another batch
  };
  struct alignas(64) Slot {
    core::SpinLock lock;  // for the shared slot
    std::array<Cache, classes> caches;
  };

  [[nodiscard]] static Page& page_of(const void* block) {
    const auto address = reinterpret_cast<std::uintptr_t>(block);
    return *reinterpret_cast<Page*>(address & ~(page_bytes - 1));
  }
  [[nodiscard]] void* take_single(Kind kind, std::size_t bytes);
  void give_back_single(void* block);
  [[nodiscard]] void* take_from(Cache& cache, std::uint32_t size_class);
  /// Returns a full batch that is to be passed on, or null if there is none.
  [[nodiscard]] Free* put_into(Cache& cache, void* block);
  void refill(Cache& cache, std::uint32_t size_class);
  void pass_on(Free* one_batch, std::uint32_t size_class);
  [[nodiscard]] Free* new_page(std::uint32_t size_class) ROAM_REQUIRES(lock_);
  void new_row() ROAM_REQUIRES(lock_);

  void give_back(void* block);

  const exec::Engine& engine_;
  Core& core_;
  const std::uint32_t shared_slot_;  // used by several threads
  const std::unique_ptr<Slot[]> slots_;
  mutable core::SpinLock lock_;
  std::array<Free*, classes> batches_ ROAM_GUARDED_BY(lock_){};
  std::vector<void*> rows_ ROAM_GUARDED_BY(lock_);
  std::vector<void*> pages_ ROAM_GUARDED_BY(lock_);  // those that are in use
  std::byte* next_page_ ROAM_GUARDED_BY(lock_) = nullptr;
  std::size_t row_bytes_ ROAM_GUARDED_BY(lock_) = 0;  // from there to the end of the last row
  std::vector<void*> singles_ ROAM_GUARDED_BY(lock_);
};

}  // namespace roam::flow
