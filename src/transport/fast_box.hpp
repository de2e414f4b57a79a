// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "roam/core/prefetch.hpp"

namespace roam::transport {

/// A ring of short messages in memory that two processes share: one writes, the other reads, and a
/// message crosses between their cores on the cache lines it fills, with no others. Beside the box
/// there is another way for messages of the same pair; each message in the box says how many went
/// that way before it, so that the order can be kept. All bytes zero: empty.
struct FastBox {
  static constexpr std::size_t slots = 32;
  static constexpr std::size_t longest = 1080;  // bytes of a message
  static constexpr std::size_t line = 64;

  struct alignas(line) Slot {
    // Written last by the writer (release), polled by the reader (acquire): sequence number, bytes,
    // messages before.
    std::atomic<std::uint64_t> word;
    std::array<std::byte, longest> data;
  };
  std::array<Slot, slots> ring;
  // Messages that the reader has taken (release, so that the writer overwrites nothing unread).
  alignas(64) std::atomic<std::uint32_t> taken;

  /// What the word of the message of this number, counted from 0, says. Numbers of one slot differ
  /// from lap to lap, and none is that of an empty slot.
  static std::uint64_t word_of(std::uint32_t number, std::size_t bytes, std::uint32_t before) {
    return std::uint64_t{(number + 1) & 0xffffU} << 48 | std::uint64_t{bytes} << 32 | before;
  }
  /// Bytes of a slot that a message of so many takes up.
  static constexpr std::size_t used(std::size_t bytes) { return offsetof(Slot, data) + bytes; }
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
                std::atomic<std::uint32_t>::is_always_lock_free);
};

/// One thread at a time.
class FastBoxWriter {
 public:
  explicit FastBoxWriter(FastBox& box) : box_(box) {}

  /// False if there is no room at the moment. Requires bytes <= FastBox::longest.
  [[nodiscard]] bool write(std::uint32_t before, const void* data, std::size_t bytes) {
    if (written_ - taken_ == FastBox::slots) {
      const std::uint32_t taken = box_.taken.load(std::memory_order_acquire);
      // Nonsense from the reader is no room either.
      if (written_ - taken >= FastBox::slots) return false;
      taken_ = taken;
    }
    FastBox::Slot& slot = box_.ring[written_ % FastBox::slots];
    if (bytes != 0) std::memcpy(slot.data.data(), data, bytes);
    slot.word.store(FastBox::word_of(written_, bytes, before), std::memory_order_release);
    ++written_;
    prepare(FastBox::used(bytes));
    return true;
  }

 private:
  // The next message is probably about as long: its lines come here while nobody waits for them.
  // All but the first, which the reader polls.
  void prepare(std::size_t bytes) const {
    const auto* const slot =
        reinterpret_cast<const std::byte*>(&box_.ring[written_ % FastBox::slots]);
    for (std::size_t line = FastBox::line; line < bytes; line += FastBox::line)
      core::prefetch_to_write(slot + line);
  }

  FastBox& box_;
  std::uint32_t written_ = 0;
  std::uint32_t taken_ = 0;  // as far as known
};

/// One thread at a time.
class FastBoxReader {
 public:
  explicit FastBoxReader(FastBox& box) : box_(box) {}

  /// True if there is a message, of which data(), bytes() and before() tell until next().
  [[nodiscard]] bool look() {
    word_ = box_.ring[read_ % FastBox::slots].word.load(std::memory_order_acquire);
    return word_ >> 48 == ((read_ + 1) & 0xffffU);
  }
  [[nodiscard]] const std::byte* data() const {
    return box_.ring[read_ % FastBox::slots].data.data();
  }
  /// As the writer claims: may be more than FastBox::longest.
  [[nodiscard]] std::size_t bytes() const { return word_ >> 32 & 0xffffU; }
  /// Messages that went another way before this one, modulo 2^32.
  [[nodiscard]] std::uint32_t before() const { return static_cast<std::uint32_t>(word_); }
  void next() {
    ++read_;
    // Told seldom: the line goes to the writer and back.
    if (read_ % (FastBox::slots / 2) == 0) box_.taken.store(read_, std::memory_order_release);
  }

 private:
  FastBox& box_;
  std::uint32_t read_ = 0;
  std::uint64_t word_ = 0;
};

}  // namespace roam::transport
