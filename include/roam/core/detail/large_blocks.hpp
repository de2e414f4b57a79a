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

/// Blocks of 16 KiB to 16 MiB for messages, in four sizes for each doubling, reused, in memory that
/// the system is asked to back with huge pages: copying between processes then takes a fifth less
/// time, as it handles the pages one by one. What has once been used is kept: up to 64 MiB, and for
/// each doubling 4 MiB or four blocks in any case. What the program keeps does not count; of what
/// it gives back no more than 128 MiB stay.
/// Thread-safe. Blocks may outlive the handle; the memory goes when the last has come back.
class LargeBlocks final : private Lender {
 public:
  struct Release {
    void operator()(LargeBlocks* blocks) const { blocks->drop_reference(); }
  };
  using Handle = Owned<LargeBlocks, Release>;
  static constexpr std::size_t smallest = std::size_t{16} << 10;
  static constexpr std::size_t largest = std::size_t{16} << 20;

  [[nodiscard]] static Handle create() { return Handle(new LargeBlocks); }
  LargeBlocks(const LargeBlocks&) = delete;
  LargeBlocks& operator=(const LargeBlocks&) = delete;

  /// A buffer of size 0 and at least this capacity, at most `largest`: the smallest free block of
  /// up to four times that, else a new one; from the heap if as many as are kept are in use.
  [[nodiscard]] Buffer take(std::size_t bytes);
  /// Memory of the buffers that are out, bytes; without what the program keeps.
  [[nodiscard]] std::size_t bytes_in_use();

 private:
  static constexpr std::size_t doublings = 10;
  static constexpr std::size_t steps = 4;  // sizes for each doubling
  static constexpr std::size_t classes = doublings * steps + 1;
  struct SizeClass {
    std::vector<std::byte*> free;      // the one used last is taken first: it may be in the cache
    std::vector<std::byte*> released;  // free, too, their pages with the system
    std::size_t made = 0;              // blocks
  };
  /// Whom buffers go back to that the program has kept.
  struct ProgramsBlocks final : Lender {
    explicit ProgramsBlocks(LargeBlocks& all) : blocks(all) {}
    void take_back(std::span<std::byte> memory) noexcept override {
      blocks.take_back_from_program(memory);
    }
    LargeBlocks& blocks;
  };

  LargeBlocks() = default;
  ~LargeBlocks() = default;
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
  std::array<std::size_t, doublings + 1> made_bytes_of_{};  // by doubling
  std::vector<HugeMemory> memory_;
  std::size_t made_bytes_ = 0;  // without those released
  std::size_t in_use_bytes_ = 0;
  std::size_t programs_bytes_ = 0;
  std::size_t references_ = 1;  // the handle, and blocks in use
};

}  // namespace roam::core
