// SPDX-License-Identifier: Apache-2.0
#include "roam/core/large_blocks.hpp"

#include <algorithm>
#include <bit>
#include <mutex>
#include <new>

namespace roam::core {

namespace {

// Of all sizes: what a sender may have under way (A3).
constexpr std::size_t kept_bytes = std::size_t{64} << 20;
// Of each size:
constexpr std::size_t always_kept_bytes = std::size_t{4} << 20;
constexpr std::size_t always_kept_blocks = 4;
// A block may be four times as large as asked for.
constexpr std::size_t most_classes_larger = 2;

std::size_t class_of(std::size_t bytes) {
  return static_cast<std::size_t>(
      std::countr_zero(std::bit_ceil(std::max(bytes, LargeBlocks::smallest))) -
      std::countr_zero(LargeBlocks::smallest));
}

}  // namespace

Buffer LargeBlocks::take(std::size_t bytes) {
  std::size_t block_bytes = 0;
  std::byte* block = nullptr;
  {
    const std::lock_guard guard(lock_);
    const std::size_t index = with_free_block(class_of(bytes));
    block_bytes = smallest << index;
    SizeClass& size_class = classes_[index];
    if (!size_class.free.empty() || make_blocks(size_class, block_bytes)) {
      block = size_class.free.back();
      size_class.free.pop_back();
      ++references_;
      in_use_bytes_ += block_bytes;
    }
  }
  if (block == nullptr) return heap_.take(bytes);
  Buffer buffer = Buffer::borrow({block, block_bytes}, this);
  buffer.set_size(0);
  return buffer;
}

// Rather a block that is larger than need be than memory for the most that was ever in use of each
// size: mixed traffic would collect it for hours.
std::size_t LargeBlocks::with_free_block(std::size_t index) const {
  const std::size_t last = std::min(index + most_classes_larger, classes - 1);
  for (std::size_t i = index; i <= last; ++i) {
    if (!classes_[i].free.empty()) return i;
  }
  return index;
}

std::size_t LargeBlocks::bytes_in_use() {
  const std::lock_guard guard(lock_);
  return in_use_bytes_ + heap_.bytes_in_use();
}

// A huge page full of them, or one of a few huge pages.
bool LargeBlocks::make_blocks(SizeClass& size_class, std::size_t block_bytes) {
  const std::size_t region_bytes = std::max(block_bytes, HugeMemory::page_bytes);
  const std::size_t count = region_bytes / block_bytes;
  const std::size_t always_kept = std::max(always_kept_bytes / block_bytes, always_kept_blocks);
  if (size_class.made + count > always_kept && made_bytes_ + region_bytes > kept_bytes)
    return false;
  memory_.reserve(memory_.size() + 1);
  size_class.free.reserve(size_class.made + count);  // for take_back(), which must not throw
  std::byte* const region = memory_.emplace_back(region_bytes).data();
  for (std::size_t i = count; i > 0; --i) size_class.free.push_back(region + (i - 1) * block_bytes);
  size_class.made += count;
  made_bytes_ += region_bytes;
  return true;
}

void LargeBlocks::take_back(std::span<std::byte> memory) noexcept {
  {
    const std::lock_guard guard(lock_);
    classes_[class_of(memory.size())].free.push_back(memory.data());
    in_use_bytes_ -= memory.size();
  }
  drop_reference();
}

void LargeBlocks::drop_reference() {
  bool last = false;
  {
    const std::lock_guard guard(lock_);
    last = --references_ == 0;
  }
  if (last) delete this;
}

}  // namespace roam::core
