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

/// Memory of the tasks and instances of one Flow: made by one thread and given back by another, by
/// the million. Blocks in multiples of 64 bytes, aligned likewise, in pages of 4 KiB that know
/// their pool; each slot of the engine keeps some and passes them on to the others by the batch. So
/// a lock is taken once for 32 blocks, and what is still alive at the end can be found.
class BlockPool {
 public:
  enum class Kind : std::uint8_t { task, instance };
  explicit BlockPool(const exec::Engine& engine);
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;
  ~BlockPool();

  /// For an object that begins with its pointer to virtual functions; which tells a block in use.
  [[nodiscard]] void* take(Kind kind, std::size_t bytes);
  /// To whatever pool it is of. Its object has been destroyed. Any thread.
  static void free(void* block);
  /// Calls `visit(block)` for each block in use; which may give back this one and others. No other
  /// thread is about.
  void for_each(Kind kind, const std::function<void(void*)>& visit);
  /// Of all its pages.
  [[nodiscard]] std::size_t bytes() const ROAM_EXCLUDES(lock_);

 private:
  static constexpr std::size_t unit = 64;
  static constexpr std::size_t page_bytes = 4096;
  static constexpr std::size_t size_classes = 16;  // up to 1 KiB
  static constexpr std::size_t classes = 2 * size_classes;
  static constexpr std::uint32_t batch = 32;

  struct Page {
    BlockPool* pool;
    std::uint32_t size_class;  // `classes`: one block alone
    Kind kind;
    std::uint32_t place;  // of one block alone: in singles_
  };
  struct Free {
    void* in_use;  // nullptr
    Free* next;
    Free* next_batch;
  };
  struct Cache {
    Free* first = nullptr;
    std::uint32_t count = 0;
    Free* full = nullptr;  // a batch besides
  };
  struct alignas(64) Slot {
    core::SpinLock lock;  // of the shared slot
    std::array<Cache, classes> caches;
  };

  [[nodiscard]] static Page& page_of(void* block);
  [[nodiscard]] void* take_single(Kind kind, std::size_t bytes);
  void give_back_single(void* block);
  [[nodiscard]] void* take_from(Cache& cache, std::uint32_t size_class);
  /// The batch that is full now, to be passed on; null while there is none.
  [[nodiscard]] Free* put_into(Cache& cache, void* block);
  void refill(Cache& cache, std::uint32_t size_class);
  void pass_on(Free* one_batch, std::uint32_t size_class);
  [[nodiscard]] Free* new_page(std::uint32_t size_class) ROAM_REQUIRES(lock_);

  void give_back(void* block);

  const exec::Engine& engine_;
  const std::uint32_t shared_slot_;  // of several threads
  const std::unique_ptr<Slot[]> slots_;
  mutable core::SpinLock lock_;
  std::array<Free*, classes> batches_ ROAM_GUARDED_BY(lock_){};
  std::vector<void*> pages_ ROAM_GUARDED_BY(lock_);
  std::vector<void*> singles_ ROAM_GUARDED_BY(lock_);
};

}  // namespace roam::flow
