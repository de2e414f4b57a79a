// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <new>

#include "roam/core/detail/owned.hpp"
#include "roam/core/detail/prefetch.hpp"
#include "roam/core/detail/spin_lock.hpp"
#include "roam/exec/engine.hpp"

namespace roam::mobile {

/// Memory for the calls on this rank. Each slot of the engine holds a few free blocks and reuses
/// them without a lock; if one slot takes blocks that another one frees, they are transferred many
/// at a time. Larger calls, and those of the program's own threads, use the heap.
class CallMemory {
 public:
  static constexpr std::size_t block_bytes = 256;

  explicit CallMemory(exec::Engine& engine)
      : engine_(engine), kept_(new Kept[engine.slot_count()]()) {
    kept_[engine.outside_slot()].most = 0;
  }
  CallMemory(const CallMemory&) = delete;
  CallMemory& operator=(const CallMemory&) = delete;
  ~CallMemory();

  /// Takes memory for an object of class C.
  template <class C>
  [[nodiscard]] void* take() {
    if constexpr (!fits<C>) return ::operator new (sizeof(C), std::align_val_t{alignof(C)});
    Kept& kept = kept_[engine_.this_slot()];
    return kept.first != nullptr ? kept.pop() : take_slowly(kept);
  }
  template <class C>
  void give_back(void* memory) {
    if constexpr (!fits<C>) return ::operator delete (memory, std::align_val_t{alignof(C)});
    Kept& kept = kept_[engine_.this_slot()];
    if (kept.count >= kept.most) return give_back_slowly(kept, memory);
    kept.push(memory);
  }
  /// Adds the memory that the first worker uses of it.
  void add_to(exec::WorkingSet& set) const { set.add(kept_[0]); }
  /// Prefetches the memory of its next call.
  void look_ahead() const {
    if (kept_[0].first != nullptr) core::prefetch_to_write(kept_[0].first, block_bytes);
  }

 private:
  template <class C>
  static constexpr bool fits = sizeof(C) <= block_bytes &&
                               alignof(C) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__;
  static constexpr std::uint32_t most_kept = 64;
  static constexpr std::uint32_t most_shared = 4096;
  struct Block {
    Block* next;
  };
  // Used by its slot's thread alone; that of the outside slot is always empty.
  struct alignas(64) Kept {
    Block* first = nullptr;
    std::uint32_t count = 0;
    std::uint32_t most = most_kept;
    [[nodiscard]] void* pop() {
      Block* const block = first;
      first = block->next;
      --count;
      return block;
    }
    void push(void* memory) {
      first = ::new (memory) Block{first};
      ++count;
    }
  };
  [[nodiscard]] void* take_slowly(Kept& kept);
  void give_back_slowly(Kept& kept, void* memory);
  [[nodiscard]] bool is_outside(const Kept& kept) const {
    return &kept == &kept_[engine_.outside_slot()];
  }

  exec::Engine& engine_;
  core::Owned<Kept[]> kept_;
  core::SpinLock lock_;
  Kept shared_;  // under lock_
};

}  // namespace roam::mobile
