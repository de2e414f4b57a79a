// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <new>

#include "roam/exec/engine.hpp"

namespace roam::mobile {

/// Memory of the calls on this rank: each worker keeps a few blocks that it has freed and takes
/// them again, without a lock. Larger calls, and those of other threads, use the heap.
class CallMemory {
 public:
  static constexpr std::size_t block_bytes = 256;

  explicit CallMemory(exec::Engine& engine)
      : engine_(engine), kept_(std::make_unique<Kept[]>(engine.slot_count())) {}
  CallMemory(const CallMemory&) = delete;
  CallMemory& operator=(const CallMemory&) = delete;
  ~CallMemory() {
    for (std::uint32_t slot = 0; slot < engine_.slot_count(); ++slot) {
      while (Block* block = kept_[slot].first) {
        kept_[slot].first = block->next;
        ::operator delete(block);
      }
    }
  }

  /// Memory for a C.
  template <class C>
  [[nodiscard]] void* take() {
    if constexpr (!fits<C>) return ::operator new (sizeof(C), std::align_val_t{alignof(C)});
    Kept& kept = kept_[engine_.this_slot()];
    Block* const block = kept.first;
    if (block == nullptr) return ::operator new(block_bytes);  // also outside of workers
    kept.first = block->next;
    --kept.count;
    return block;
  }
  template <class C>
  void give_back(void* memory) {
    if constexpr (!fits<C>) return ::operator delete (memory, std::align_val_t{alignof(C)});
    const std::uint32_t slot = engine_.this_slot();
    Kept& kept = kept_[slot];
    if (kept.count == most_kept || slot == engine_.outside_slot()) return ::operator delete(memory);
    kept.first = ::new (memory) Block{kept.first};
    ++kept.count;
  }

 private:
  template <class C>
  static constexpr bool fits = sizeof(C) <= block_bytes &&
                               alignof(C) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__;
  static constexpr std::uint32_t most_kept = 64;
  struct Block {
    Block* next;
  };
  struct alignas(64) Kept {  // its slot's thread alone
    Block* first = nullptr;
    std::uint32_t count = 0;
  };
  exec::Engine& engine_;
  std::unique_ptr<Kept[]> kept_;
};

}  // namespace roam::mobile
