// SPDX-License-Identifier: Apache-2.0
#include "roam/core/detail/large_blocks.hpp"

#include <algorithm>
#include <bit>
#include <mutex>
#include <new>

namespace roam::core {

namespace {

// The most memory held for reuse, of all sizes together: as much as a sender may have under way
// (A3).
constexpr std::size_t kept_bytes = std::size_t{64} << 20;
// What is held in any case for each doubling of sizes:
constexpr std::size_t always_kept_bytes = std::size_t{4} << 20;
constexpr std::size_t always_kept_blocks = 4;
// The most free memory after the program has given back blocks that were left to it.
constexpr std::size_t most_free_bytes = std::size_t{128} << 20;
// A block may be up to four times as large as asked for.
constexpr std::size_t most_doublings_larger = 2;
// The part of a region that may be left unused: an eighth.
constexpr std::size_t spare_part = 8;

// The size of a region for blocks of this size: whole huge pages, with the fewest blocks that fill
// them well.
std::size_t region_bytes_for(std::size_t block_bytes) {
  for (std::size_t blocks = 1;; ++blocks) {
    const std::size_t used = blocks * block_bytes;
    const std::size_t region =
        (used + HugeMemory::page_bytes - 1) / HugeMemory::page_bytes * HugeMemory::page_bytes;
    if ((region - used) * spare_part <= region) return region;
  }
}

}  // namespace

std::size_t LargeBlocks::class_bytes(std::size_t index) {
  return (smallest << (index / steps)) / steps * (steps + index % steps);
}

std::size_t LargeBlocks::class_of(std::size_t bytes) {
  bytes = std::max(bytes, smallest);
  const auto doubling = static_cast<std::size_t>(std::bit_width(bytes) - std::bit_width(smallest));
  const std::size_t step = (smallest << doubling) / steps;
  return doubling * steps + (bytes + step - 1) / step - steps;
}

Buffer LargeBlocks::take(std::size_t bytes) {
  std::size_t block_bytes = 0;
  std::byte* block = nullptr;
  {
    const std::lock_guard guard(lock_);
    const std::size_t index = with_free_block(class_of(bytes));
    block_bytes = class_bytes(index);
    block = take_block(index);
    if (block != nullptr) {
      ++references_;
      in_use_bytes_ += block_bytes;
    }
  }
  if (block == nullptr) return heap_.take(bytes);
  Buffer buffer = Buffer::borrow({block, block_bytes}, this);
  buffer.set_size(0);
  return buffer;
}

// The smallest class with a free block, up to four times the size. A block larger than needed is
// better than holding, for each size, as much memory as was ever in use: mixed traffic would go on
// collecting memory for hours.
std::size_t LargeBlocks::with_free_block(std::size_t index) const {
  const std::size_t last = std::min(index + most_doublings_larger * steps, classes - 1);
  for (std::size_t i = index; i <= last; ++i) {
    if (!classes_[i].free.empty()) return i;
  }
  return index;
}

// A block of this class; nullptr if there is none free and no more may be made.
std::byte* LargeBlocks::take_block(std::size_t index) {
  SizeClass& size_class = classes_[index];
  if (size_class.free.empty()) {
    const std::size_t block_bytes = class_bytes(index);
    if (!size_class.released.empty()) {
      if (!may_have(index, block_bytes)) return nullptr;
      made_bytes_ += block_bytes;
      made_bytes_of_[index / steps] += block_bytes;
      size_class.free.push_back(size_class.released.back());
      size_class.released.pop_back();
    } else {
      const std::size_t region_bytes = region_bytes_for(block_bytes);
      if (!may_have(index, region_bytes)) return nullptr;
      make_blocks(index, region_bytes);
    }
  }
  std::byte* const block = size_class.free.back();
  size_class.free.pop_back();
  return block;
}

// True if this many more bytes may be allocated for blocks of this size.
bool LargeBlocks::may_have(std::size_t index, std::size_t bytes) const {
  if (made_bytes_ - programs_bytes_ + bytes <= kept_bytes) return true;
  return made_bytes_of_[index / steps] + bytes <=
         std::max(always_kept_bytes, always_kept_blocks * class_bytes(index));
}

std::size_t LargeBlocks::bytes_in_use() {
  const std::lock_guard guard(lock_);
  return in_use_bytes_ + heap_.bytes_in_use();
}

void LargeBlocks::make_blocks(std::size_t index, std::size_t region_bytes) {
  SizeClass& size_class = classes_[index];
  const std::size_t block_bytes = class_bytes(index);
  const std::size_t count = region_bytes / block_bytes;
  memory_.reserve(memory_.size() + 1);
  // Capacity for take_back(), which must not throw.
  size_class.free.reserve(size_class.made + count);
  size_class.released.reserve(size_class.made + count);
  std::byte* const region = memory_.emplace_back(region_bytes).data();
  for (std::size_t i = count; i > 0; --i) size_class.free.push_back(region + (i - 1) * block_bytes);
  size_class.made += count;
  made_bytes_ += count * block_bytes;
  made_bytes_of_[index / steps] += count * block_bytes;
}

void LargeBlocks::take_back(std::span<std::byte> memory) noexcept {
  {
    const std::lock_guard guard(lock_);
    classes_[class_of(memory.size())].free.push_back(memory.data());
    in_use_bytes_ -= memory.size();
  }
  drop_reference();
}

Lender* LargeBlocks::leave_to_program(std::span<std::byte> memory) noexcept {
  const std::lock_guard guard(lock_);
  in_use_bytes_ -= memory.size();
  programs_bytes_ += memory.size();
  return &programs_;
}

void LargeBlocks::take_back_from_program(std::span<std::byte> memory) noexcept {
  const std::size_t index = class_of(memory.size());
  bool stays = false;
  {
    const std::lock_guard guard(lock_);
    programs_bytes_ -= memory.size();
    stays = made_bytes_ - programs_bytes_ - in_use_bytes_ <= most_free_bytes;
    if (stays) {
      classes_[index].free.push_back(memory.data());
    } else {
      made_bytes_ -= memory.size();
      made_bytes_of_[index / steps] -= memory.size();
    }
  }
  if (!stays) {
    HugeMemory::release_pages(memory.data(), memory.size());
    const std::lock_guard guard(lock_);
    classes_[index].released.push_back(memory.data());
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

LargeBlocks::LargeBlocks() = default;

LargeBlocks::~LargeBlocks() = default;

LargeBlocks::Handle LargeBlocks::create() { return Handle(new LargeBlocks); }

}  // namespace roam::core
