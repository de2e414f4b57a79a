// SPDX-License-Identifier: Apache-2.0
#include "roam/mobile/detail/call_memory.hpp"

namespace roam::mobile {

CallMemory::~CallMemory() {
  const auto free_all = [](Kept& kept) {
    while (kept.first != nullptr) ::operator delete(kept.pop());
  };
  for (std::uint32_t slot = 0; slot < engine_.slot_count(); ++slot) free_all(kept_[slot]);
  free_all(shared_);
}

void* CallMemory::take_slowly(Kept& kept) {
  if (!is_outside(kept)) {
    const std::lock_guard guard(lock_);
    while (shared_.first != nullptr && kept.count < most_kept / 2) kept.push(shared_.pop());
  }
  return kept.first != nullptr ? kept.pop() : ::operator new(block_bytes);
}

// Called when the slot has as many free blocks as it may hold.
void CallMemory::give_back_slowly(Kept& kept, void* memory) {
  if (!is_outside(kept)) {
    const std::lock_guard guard(lock_);
    while (shared_.count < most_shared && kept.count > most_kept / 2) shared_.push(kept.pop());
  }
  if (kept.count < kept.most) return kept.push(memory);
  ::operator delete(memory);
}

}  // namespace roam::mobile
