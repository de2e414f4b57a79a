// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "roam/core/detail/prefetch.hpp"

namespace roam::transport {

/// A ring of messages in memory that two processes share. One writes, the other reads, and only the
/// cache lines that a message fills pass between their cores. A message that does not fit one slot
/// takes several, one behind the other, each of which can be read as soon as it has been written.
/// Besides the box there is another path for messages of the same pair of ranks; each message in
/// the box says how many used that path before it, so that the order can be preserved. A box with
/// all bytes zero is empty.
struct FastBox {
  static constexpr std::size_t slots = 256;
  static constexpr std::size_t piece = 1080;         // bytes of a message in one slot
  static constexpr std::size_t longest = 8 * piece;  // bytes of a message
  static constexpr std::size_t line = 64;

  struct alignas(line) Slot {
    // Written last by the writer (release), polled by the reader (acquire). It contains the piece's
    // number, the size of the message, and the number of messages by the other path before it.
    std::atomic<std::uint64_t> word;
    std::array<std::byte, piece> data;
  };
  std::array<Slot, slots> ring;
  // The number of pieces that the reader has taken (release, so that the writer overwrites nothing
  // unread).
  alignas(64) std::atomic<std::uint32_t> taken;

  /// The number of slots for a message of this many bytes.
  static constexpr std::uint32_t pieces(std::size_t bytes) {
    return bytes <= piece ? 1 : static_cast<std::uint32_t>((bytes + piece - 1) / piece);
  }
  /// The word of the piece with this number, counted from 0. The numbers in one slot differ from
  /// round to round, and none is that of an empty slot.
  static std::uint64_t word_of(std::uint32_t number, std::size_t bytes, std::uint32_t before) {
    return std::uint64_t{(number + 1) & 0xffffU} << 48 | std::uint64_t{bytes} << 32 | before;
  }
  /// The bytes of a slot that a message of this size uses.
  static constexpr std::size_t used(std::size_t bytes) { return offsetof(Slot, data) + bytes; }
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
                std::atomic<std::uint32_t>::is_always_lock_free);
};

/// Writes into a box. One thread at a time.
class FastBoxWriter {
 public:
  explicit FastBoxWriter(FastBox& box) : box_(box) {}

  /// False if there is no free slot at the moment. Requires bytes <= FastBox::longest.
  [[nodiscard]] bool write(std::uint32_t before, const void* data, std::size_t bytes) {
    if (bytes > FastBox::piece) return write_pieces(before, data, bytes);
    if (!has_space(1)) return false;
    write_piece(FastBox::word_of(written_, bytes, before), data, bytes);
    prepare(FastBox::used(bytes));
    return true;
  }

 private:
  [[nodiscard]] bool has_space(std::uint32_t pieces) {
    if (written_ - taken_ + pieces <= FastBox::slots) return true;
    const std::uint32_t taken = box_.taken.load(std::memory_order_acquire);
    // A nonsensical value from the reader counts as a full box.
    if (written_ - taken > FastBox::slots) return false;
    taken_ = taken;
    return written_ - taken + pieces <= FastBox::slots;
  }
  void write_piece(std::uint64_t word, const void* data, std::size_t bytes) {
    FastBox::Slot& slot = box_.ring[written_ % FastBox::slots];
    if (bytes != 0) std::memcpy(slot.data.data(), data, bytes);
    slot.word.store(word, std::memory_order_release);
    ++written_;
  }
  [[nodiscard]] bool write_pieces(std::uint32_t before, const void* data, std::size_t bytes) {
    if (!has_space(FastBox::pieces(bytes))) return false;
    const auto* from = static_cast<const std::byte*>(data);
    for (std::size_t left = bytes; left != 0;) {
      const std::size_t length = left < FastBox::piece ? left : FastBox::piece;
      write_piece(FastBox::word_of(written_, bytes, before), from, length);
      from += length;
      left -= length;
    }
    return true;
  }
  // The next message is probably about as long: its cache lines are fetched now, while nobody waits
  // for them, except the first, which the reader polls.
  void prepare(std::size_t bytes) const {
    const auto* const slot =
        reinterpret_cast<const std::byte*>(&box_.ring[written_ % FastBox::slots]);
    for (std::size_t line = FastBox::line; line < bytes; line += FastBox::line)
      core::prefetch_to_write(slot + line);
  }

  FastBox& box_;
  std::uint32_t written_ = 0;  // number of pieces
  std::uint32_t taken_ = 0;    // as far as the writer knows
};

/// Reads from a box. One thread at a time.
class FastBoxReader {
 public:
  explicit FastBoxReader(FastBox& box) : box_(box) {}

  /// True if there is a piece that has not been taken. It is the first one of a message, which
  /// data(), bytes() and before() then describe, or the next one of a message that copy_to() has
  /// begun.
  [[nodiscard]] bool look() {
    const std::uint64_t word =
        box_.ring[read_ % FastBox::slots].word.load(std::memory_order_acquire);
    if (word >> 48 != ((read_ + 1) & 0xffffU)) return false;
    if (copied_ == 0) word_ = word;
    return true;
  }
  /// The data of the message's first piece.
  [[nodiscard]] const std::byte* data() const {
    return box_.ring[read_ % FastBox::slots].data.data();
  }
  /// The size of the message as its writer states it: may be more than FastBox::longest.
  [[nodiscard]] std::size_t bytes() const { return word_ >> 32 & 0xffffU; }
  /// The number of messages, modulo 2^32, that used the other path before this one.
  [[nodiscard]] std::uint32_t before() const { return static_cast<std::uint32_t>(word_); }
  /// Takes the message that look() has found, which has one piece.
  void next() {
    ++read_;
    // The writer is told seldom, because each time the cache line goes to the writer and back.
    if (read_ % (FastBox::slots / 2) == 0) box_.taken.store(read_, std::memory_order_release);
  }
  /// Copies the pieces that have arrived, of the message that look() has found, to `place`, which
  /// must have space for bytes(). True if the message is complete; it is then taken. Else call it
  /// again, with the same place, once look() finds the next piece. Requires bytes() <=
  /// FastBox::longest.
  [[nodiscard]] bool copy_to(std::byte* place) {
    for (;;) {
      const std::size_t left = bytes() - copied_;
      const std::size_t length = left < FastBox::piece ? left : FastBox::piece;
      std::memcpy(place + copied_, data(), length);
      next();
      if (length == left) break;
      copied_ += length;
      if (!look()) return false;
    }
    copied_ = 0;
    return true;
  }

 private:
  FastBox& box_;
  std::uint32_t read_ = 0;  // number of pieces
  std::uint64_t word_ = 0;  // that of the message's first piece
  std::size_t copied_ = 0;  // bytes copied of the message that copy_to() has begun
};

}  // namespace roam::transport
