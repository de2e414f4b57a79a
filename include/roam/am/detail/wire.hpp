// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace roam::am {

/// The version of headers, batches and announcements. Ranks compare it at the start (A6). The
/// contents of system messages behind the header are compared separately (system_message.hpp).
inline constexpr int wire_version = 2;

/// The first bytes of every active message. All ranks of a job run the same build with the same
/// byte order (which is checked, A6).
struct WireHeader {
  static constexpr std::uint16_t expected_magic = 0x5241;
  std::uint32_t handler = 0;       ///< hash of the handler's name
  std::uint32_t sequence = 0;      ///< per pair of ranks; only used over transports that reorder
  std::uint32_t checked_size = 0;  ///< low 32 bits of the message's size, header included
  std::uint16_t flags = 0;
  std::uint16_t magic = expected_magic;

  static constexpr std::uint16_t counted = 1;   ///< work of the program: counted by quiescence
  static constexpr std::uint16_t announce = 2;  ///< split-phase: the message proper follows as bulk
  static constexpr std::uint16_t beside = 4;    ///< bulk data follows that lands where it is wanted
  static constexpr std::uint16_t attached = 8;  ///< an array of the message follows as bulk
  static constexpr std::uint16_t batch = 16;    ///< several messages in one: entries follow; alone
  static constexpr std::uint16_t with_bulk = announce | beside | attached;
  static constexpr std::uint16_t known_flags = counted | with_bulk | batch;
};
static_assert(sizeof(WireHeader) == 16);
static_assert(WireHeader::known_flags == 2 * WireHeader::batch - 1);

/// Reads the header; false if the bytes cannot be a message of Roam (A7).
[[nodiscard]] inline bool read_header(std::span<const std::byte> bytes, WireHeader& header) {
  if (bytes.size() < sizeof header) return false;
  std::memcpy(&header, bytes.data(), sizeof header);
  return header.magic == WireHeader::expected_magic &&
         header.flags <= WireHeader::batch &&  // the highest flag, which goes with no other
         header.checked_size == static_cast<std::uint32_t>(bytes.size());
}

/// The header of a message that comes alone and without bulk data, as most do. It is read and
/// checked as two words.
class SingleHeader {
 public:
  explicit SingleHeader(std::span<const std::byte> bytes) {
    if (bytes.size() < sizeof words_) return;
    std::memcpy(words_.data(), bytes.data(), sizeof words_);
    WireHeader expected;
    expected.checked_size = static_cast<std::uint32_t>(bytes.size());
    is_valid_ = (words_[1] & ~counted) == std::bit_cast<Words>(expected)[1];
  }
  /// False also for valid headers of any other kind.
  [[nodiscard]] bool is_valid() const { return is_valid_; }
  [[nodiscard]] std::uint32_t handler() const { return std::bit_cast<WireHeader>(words_).handler; }
  [[nodiscard]] bool is_counted() const { return (words_[1] & counted) != 0; }

 private:
  using Words = std::array<std::uint64_t, 2>;
  static constexpr std::uint64_t counted =
      std::bit_cast<Words>(WireHeader{.flags = WireHeader::counted, .magic = 0})[1];
  Words words_{};
  bool is_valid_ = false;
};

/// The head of a part of a batch: the payloads of one or more messages for one handler follow, all
/// of one size.
struct BatchEntry {
  std::uint32_t handler = 0;
  std::uint16_t payload_bytes = 0;  ///< the size of each message
  std::uint16_t flags = 0;          ///< lowest bit: `counted`; the others: messages less one

  static constexpr std::size_t most_messages = std::size_t{1} << 15;
  /// Shorter payloads have an entry each, so that a few bytes cannot stand for thousands of
  /// messages.
  static constexpr std::size_t shortest_repeated = 8;
  [[nodiscard]] bool is_counted() const { return (flags & WireHeader::counted) != 0; }
  [[nodiscard]] std::uint32_t messages() const { return 1U + flags / 2U; }
  void set_messages(std::uint32_t messages) {
    flags = static_cast<std::uint16_t>((flags & WireHeader::counted) + 2 * (messages - 1));
  }
};
static_assert(sizeof(BatchEntry) == 8);

/// The body of an `announce` message; the first part of the body of a `beside` or `attached`
/// message.
struct BulkAnnouncement {
  std::uint64_t size = 0;
  std::uint32_t tag = 0;
  std::uint32_t bytes_behind = 0;  ///< `attached`: of the message, after the array's place
};

}  // namespace roam::am
