// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

namespace roam::exec {

/// Blocks of the heap that one worker has given back and takes again: coroutine frames and other
/// small objects of which a worker makes and ends one after the other. Every block comes from
/// operator new and may go back to operator delete, so a block may be taken by one worker and given
/// back by another. One thread at a time.
///
/// With the address or the thread sanitizer none is kept, so that the sanitizers see what is used
/// after its end.
class SpareBlocks {
 public:
  /// Larger blocks come from the heap each time.
  static constexpr std::size_t largest = 512;
  /// The number of blocks kept of one size at most: 147 KB in all.
  static constexpr std::size_t most_of_a_size = 64;

  SpareBlocks() = default;
  SpareBlocks(const SpareBlocks&) = delete;
  SpareBlocks& operator=(const SpareBlocks&) = delete;
  ~SpareBlocks();

  /// A block for the calling thread: from its worker's spare ones if there are any, otherwise from
  /// the heap. Any thread. Throws std::bad_alloc.
  [[nodiscard]] static void* take(std::size_t bytes);
  /// Gives back a block that take() has made of this size. Any thread.
  static void give_back(void* block, std::size_t bytes) noexcept;
  /// The number of blocks kept now.
  [[nodiscard]] std::size_t kept() const;

 private:
  static constexpr std::size_t step = 64;  // sizes are multiples of it
  struct Spare {
    Spare* next;
  };
  struct Kept {
    Spare* first = nullptr;
    std::size_t count = 0;
  };
  std::array<Kept, largest / step> sizes_;
};

}  // namespace roam::exec
