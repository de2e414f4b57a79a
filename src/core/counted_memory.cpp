// SPDX-License-Identifier: Apache-2.0
#include "roam/core/detail/counted_memory.hpp"

#include <span>
#include <utility>

namespace roam::core {

class CountedMemory::Block final : public Lender {
 public:
  Block(Count in_use, std::size_t bytes)
      : in_use_(std::move(in_use)),
        bytes_(bytes),
        memory_(std::make_unique_for_overwrite<std::byte[]>(bytes)) {
    in_use_->fetch_add(bytes_, std::memory_order_relaxed);
  }
  [[nodiscard]] std::span<std::byte> memory() { return {memory_.get(), bytes_}; }
  void take_back(std::span<std::byte>) noexcept override {
    if (is_counted_) in_use_->fetch_sub(bytes_, std::memory_order_relaxed);
    delete this;
  }
  Lender* leave_to_program(std::span<std::byte>) noexcept override {
    if (std::exchange(is_counted_, false)) in_use_->fetch_sub(bytes_, std::memory_order_relaxed);
    return this;
  }

 private:
  const Count in_use_;
  const std::size_t bytes_;
  const std::unique_ptr<std::byte[]> memory_;
  bool is_counted_ = true;
};

CountedMemory::CountedMemory() : in_use_(std::make_shared<std::atomic<std::size_t>>(0)) {}

Buffer CountedMemory::take(std::size_t bytes) {
  auto block = std::make_unique<Block>(in_use_, bytes);
  const std::span<std::byte> memory = block->memory();
  // The block owns itself from here on, until the buffer releases it.
  Buffer buffer = Buffer::borrow(memory, block.get());
  static_cast<void>(block.release());
  buffer.set_size(0);
  return buffer;
}

}  // namespace roam::core
