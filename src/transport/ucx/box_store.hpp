// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "transport/fast_box.hpp"
#include "transport/ucx/shared_memory.hpp"

namespace roam::transport {

/// The boxes of a process into which others write, all in one piece of memory.
class BoxStore {
 public:
  BoxStore(ucp_context_h context, std::size_t boxes)
      : memory_(context, boxes * sizeof(FastBox) + alignof(FastBox)), boxes_(boxes) {}

  /// An empty box that nobody else has; nullptr if there is none left.
  [[nodiscard]] FastBox* grant() {
    if (memory_.data() == nullptr || granted_ == boxes_) return nullptr;
    const auto start = reinterpret_cast<std::uintptr_t>(memory_.data());
    const std::size_t padding = (alignof(FastBox) - start % alignof(FastBox)) % alignof(FastBox);
    return ::new (memory_.data() + padding + granted_++ * sizeof(FastBox)) FastBox{};
  }
  /// The text by which the writer finds the box.
  [[nodiscard]] std::string offer(const FastBox& box) const {
    const std::uint64_t address = reinterpret_cast<std::uintptr_t>(&box);
    return std::string(reinterpret_cast<const char*>(&address), sizeof address) + memory_.key();
  }

 private:
  SharedMemory memory_;
  const std::size_t boxes_;
  std::size_t granted_ = 0;
};

/// A box in the memory of another process.
struct OpenedBox {
  /// Requires that the memory has data.
  explicit OpenedBox(std::unique_ptr<OpenedMemory> opened)
      : memory(std::move(opened)), writer(*static_cast<FastBox*>(memory->data())) {}
  std::unique_ptr<OpenedMemory> memory;
  FastBoxWriter writer;
};

}  // namespace roam::transport
