// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <execinfo.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

// Counts what a program takes from the heap by operator new, in programs that are linked with
// counting_new.cpp.
namespace roam::tests {

/// Of this process. The operators cannot be given an object, hence static.
struct HeapUse {
  static inline std::atomic<std::uint64_t> allocations{0};
  static inline std::atomic<std::uint64_t> bytes{0};
  /// While true, the first stacks that allocate are kept, to be printed when a test fails.
  static inline std::atomic<bool> is_watched{false};
  static inline std::atomic<std::size_t> kept{0};
  static constexpr std::size_t most_kept = 6;
  struct Stack {
    std::array<void*, 16> frames;
    int depth;
  };
  static inline std::array<Stack, most_kept> stacks;

  static void* allocate(std::size_t size, std::size_t alignment) {
    allocations.fetch_add(1, std::memory_order_relaxed);
    bytes.fetch_add(size, std::memory_order_relaxed);
    if (is_watched.load(std::memory_order_relaxed)) keep_stack();
    void* place = nullptr;
    if (alignment <= alignof(std::max_align_t)) {
      place = std::malloc(size == 0 ? 1 : size);
    } else if (posix_memalign(&place, alignment, size == 0 ? 1 : size) != 0) {
      place = nullptr;
    }
    if (place == nullptr) throw std::bad_alloc();
    return place;
  }
  static void print_stacks() {
    const std::size_t count = std::min(kept.load(), most_kept);
    for (std::size_t i = 0; i < count; ++i) {
      backtrace_symbols_fd(stacks[i].frames.data(), stacks[i].depth, 2);
      static_cast<void>(write(2, "\n", 1));
    }
  }

 private:
  static void keep_stack() {
    const std::size_t place = kept.fetch_add(1);
    if (place >= most_kept) return;
    stacks[place].depth = backtrace(stacks[place].frames.data(), 16);
  }
};

}  // namespace roam::tests
