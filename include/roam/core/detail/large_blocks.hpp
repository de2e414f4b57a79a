// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "roam/core/detail/buffer.hpp"
#include "roam/core/detail/counted_memory.hpp"
#include "roam/core/detail/huge_memory.hpp"
#include "roam/core/detail/owned.hpp"
#include "roam/core/detail/spin_lock.hpp"

namespace roam::core {

/// Reused blocks of 16 KiB to 16 MiB for messages, in four sizes for each doubling. The system is
/// asked to back their memory with huge pages: copying between processes, which the kernel does
/// page by page, then takes a fifth less time. Blocks that have been used are held for reuse: up to
/// 64 MiB in total, and in any case 4 MiB or four blocks for each doubling. Blocks left to the
/// program do not count; of those that it gives back no more than 128 MiB are held.
/// Thread-safe. Blocks may outlive the handle; the memory is freed when the last one has come back.
class LargeBlocks final : private Lender {
 public:
  struct Release {
    void operator()(LargeBlocks* blocks) const { blocks->drop_reference(); }
  };
  using Handle = Owned<LargeBlocks, Release>;
  static constexpr std::size_t smallest = std::size_t{16} << 10;
  static constexpr std::size_t largest = std::size_t{16} << 20;

  [[nodiscard]] static Handle create();
  LargeBlocks(const LargeBlocks&) = delete;
  LargeBlocks& operator=(const LargeBlocks&) = delete;

  /// A buffer of size 0 and at least this capacity, at most `largest`: the smallest free block of
  /// up to four times that size, else a new one. It comes from the heap if as many blocks as may be
  /// held are in use.
  [[nodiscard]] Buffer take(std::size_t bytes);
  /// Bytes of memory of the buffers in use, without those left to the program.
  [[nodiscard]] std::size_t bytes_in_use();

 private:
  static constexpr std::size_t doublings = 10;
  static constexpr std::size_t steps = 4;  // sizes for each doubling
  static constexpr std::size_t classes = doublings * steps + 1;
  struct SizeClass {
    std::vector<std::byte*> free;      // the block used last is taken first: it may be in the cache
    std::vector<std::byte*> released;  // free blocks whose pages have been returned to the system
    std::size_t made = 0;              // the number of blocks allocated
  };
  /// The lender of buffers that were left to the program.
  struct ProgramsBlocks final : Lender {
    explicit ProgramsBlocks(LargeBlocks& all) : blocks(all) {}
    void take_back(std::span<std::byte> memory) noexcept override {
      blocks.take_back_from_program(memory);
    }
    LargeBlocks& blocks;
  };

  LargeBlocks();
  ~LargeBlocks();
  [[nodiscard]] static std::size_t class_bytes(std::size_t index);
  [[nodiscard]] static std::size_t class_of(std::size_t bytes);
  void take_back(std::span<std::byte> memory) noexcept override;
  Lender* leave_to_program(std::span<std::byte> memory) noexcept override;
  void take_back_from_program(std::span<std::byte> memory) noexcept;
  void drop_reference();
  [[nodiscard]] std::byte* take_block(std::size_t index);
  [[nodiscard]] std::size_t with_free_block(std::size_t index) const;
  [[nodiscard]] bool may_have(std::size_t index, std::size_t bytes) const;
  void make_blocks(std::size_t index, std::size_t region_bytes);

  CountedMemory heap_;
  ProgramsBlocks programs_{*this};
  SpinLock lock_;
  // Under lock_:
  std::array<SizeClass, classes> classes_;
  std::array<std::size_t, doublings + 1> made_bytes_of_{};  // indexed by doubling
  std::vector<HugeMemory> memory_;
  std::size_t made_bytes_ = 0;  // without released blocks
  std::size_t in_use_bytes_ = 0;
  std::size_t programs_bytes_ = 0;
  std::size_t references_ = 1;  // the handle, and blocks in use
};

}  // namespace roam::core
