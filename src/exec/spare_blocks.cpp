// SPDX-License-Identifier: Apache-2.0
#include "roam/exec/detail/spare_blocks.hpp"

#include <new>

#include "roam/exec/context.hpp"

// GCC defines a macro for each sanitizer, Clang answers a question.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ROAM_KEEPS_BLOCKS 0
#elif defined(__has_feature)
#define ROAM_KEEPS_BLOCKS !(__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define ROAM_KEEPS_BLOCKS 1
#endif

namespace roam::exec {

#if ROAM_KEEPS_BLOCKS

void* SpareBlocks::take(std::size_t bytes) {
  const std::size_t index = (bytes - 1) / step;  // of no bytes: beyond the end
  if (index >= largest / step) [[unlikely]]
    return ::operator new(bytes);
  if (const Context* const context = detail::current_context;
      context != nullptr && context->spare_blocks != nullptr) [[likely]] {
    Kept& kept = context->spare_blocks->sizes_[index];
    if (Spare* const spare = kept.first; spare != nullptr) [[likely]] {
      kept.first = spare->next;
      --kept.count;
      return spare;
    }
  }
  return ::operator new((index + 1) * step);
}

void SpareBlocks::give_back(void* block, std::size_t bytes) noexcept {
  const std::size_t index = (bytes - 1) / step;
  if (const Context* const context = detail::current_context;
      index < largest / step && context != nullptr && context->spare_blocks != nullptr) [[likely]] {
    Kept& kept = context->spare_blocks->sizes_[index];
    if (kept.count < most_of_a_size) [[likely]] {
      kept.first = new (block) Spare{kept.first};
      ++kept.count;
      return;
    }
  }
  ::operator delete(block);
}

#else

void* SpareBlocks::take(std::size_t bytes) { return ::operator new(bytes); }
void SpareBlocks::give_back(void* block, std::size_t /*bytes*/) noexcept {
  ::operator delete(block);
}

#endif

std::size_t SpareBlocks::kept() const {
  std::size_t count = 0;
  for (const Kept& kept : sizes_) count += kept.count;
  return count;
}

SpareBlocks::~SpareBlocks() {
  for (Kept& kept : sizes_) {
    while (Spare* const spare = kept.first) {
      kept.first = spare->next;
      ::operator delete(spare);
    }
  }
}

}  // namespace roam::exec

#undef ROAM_KEEPS_BLOCKS
