// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include "roam/am/detail/wire.hpp"
#include "roam/core/detail/buffer.hpp"

namespace roam::am {

/// Writes small messages into one buffer, as a batch. Messages of one size for one handler share an
/// entry.
class BatchWriter {
 public:
  /// True from begin() to seal().
  [[nodiscard]] bool is_open() const { return static_cast<bool>(batch_); }
  /// Begins a batch in `buffer`, of which it may fill the first `bytes`, header included.
  void begin(core::Buffer&& buffer, std::size_t bytes) {
    batch_ = std::move(buffer);
    end_ = batch_.data() + sizeof(WireHeader);
    limit_ = batch_.data() + bytes;
    entry_ = {};
    messages_ = 0;
  }
  /// True if a message of this many bytes fits, whatever its handler.
  [[nodiscard]] bool has_space(std::size_t payload_bytes) const {
    return sizeof(BatchEntry) + payload_bytes <= static_cast<std::size_t>(limit_ - end_);
  }
  /// Appends a counted message if it belongs to the same entry as the message before and fits.
  template <std::size_t N>
  [[nodiscard]] bool append_like_last(std::uint32_t handler,
                                      const std::array<std::byte, N>& payload) {
    static_assert(N >= BatchEntry::shortest_repeated);
    const BatchEntry message{handler, static_cast<std::uint16_t>(N), WireHeader::counted};
    if (!is_like_last(message) || N > static_cast<std::size_t>(limit_ - end_)) return false;
    std::memcpy(end_, payload.data(), N);
    end_ += N;
    ++messages_;
    return true;
  }
  /// Appends a message for which there is space, and returns where its payload is to be written.
  [[nodiscard]] std::byte* append(const BatchEntry& message) {
    if (!is_like_last(message) || message.payload_bytes < BatchEntry::shortest_repeated) {
      end_entry();
      entry_ = message;
      entry_place_ = end_;
      std::memcpy(end_, &entry_, sizeof entry_);
      end_ += sizeof entry_;
    }
    ++messages_;
    return std::exchange(end_, end_ + message.payload_bytes);
  }
  [[nodiscard]] core::Buffer seal() {
    end_entry();
    batch_.set_size(static_cast<std::size_t>(end_ - batch_.data()));
    WireHeader header;
    header.checked_size = static_cast<std::uint32_t>(batch_.size());
    header.flags = WireHeader::batch;
    std::memcpy(batch_.data(), &header, sizeof header);
    return std::move(batch_);
  }

 private:
  [[nodiscard]] bool is_like_last(const BatchEntry& message) const {
    return std::bit_cast<std::uint64_t>(message) == std::bit_cast<std::uint64_t>(entry_);
  }
  void end_entry() {
    if (messages_ > 1) {
      BatchEntry whole = entry_;
      whole.set_messages(messages_);
      std::memcpy(entry_place_, &whole, sizeof whole);
    }
    messages_ = 0;
  }

  core::Buffer batch_;
  std::byte* end_ = nullptr;
  std::byte* limit_ = nullptr;
  BatchEntry entry_;            // describes the last message alone; handler 0: there is none
  std::uint32_t messages_ = 0;  // the number of messages that share the entry
  std::byte* entry_place_ = nullptr;
};

/// Reads the messages of a batch. Entries that do not fit into it are malformed.
class BatchReader {
 public:
  explicit BatchReader(std::span<const std::byte> entries)
      : at_(entries.data()), end_(entries.data() + entries.size()) {}
  [[nodiscard]] bool at_end() const { return left_ == 0 && at_ == end_; }
  /// Gives the next message. False if what is left is not a valid entry.
  [[nodiscard]] bool next(BatchEntry& entry, std::span<const std::byte>& payload) {
    if (!open_entry()) return false;
    entry = entry_;
    payload = take();
    return true;
  }

  // --- reading entry by entry ---
  /// Goes to the next entry unless messages of this one are left. False if what is left is not a
  /// valid entry.
  [[nodiscard]] bool open_entry() {
    if (left_ > 0) return true;
    const auto rest = static_cast<std::size_t>(end_ - at_);
    if (rest < sizeof entry_) return false;
    std::memcpy(&entry_, at_, sizeof entry_);
    const std::size_t messages = entry_.messages();
    if (messages > 1 && entry_.payload_bytes < BatchEntry::shortest_repeated) return false;
    if (messages * entry_.payload_bytes > rest - sizeof entry_) return false;
    at_ += sizeof entry_;
    left_ = static_cast<std::uint32_t>(messages);
    ++opened_;
    return true;
  }
  /// The entry opened last.
  [[nodiscard]] const BatchEntry& entry() const { return entry_; }
  /// The number of messages of the entry that are left.
  [[nodiscard]] std::uint32_t left() const { return left_; }
  /// The number of entries opened so far: it shows whether somebody else has read on meanwhile.
  [[nodiscard]] std::uint32_t opened() const { return opened_; }
  /// The payload of the entry's next message. Requires left() > 0.
  [[nodiscard]] std::span<const std::byte> take() {
    const std::span<const std::byte> payload(at_, entry_.payload_bytes);
    at_ += payload.size();
    --left_;
    return payload;
  }
  void skip_entry() {
    at_ += std::size_t{left_} * entry_.payload_bytes;
    left_ = 0;
  }
  /// Where the next entry begins. Requires left() == 0.
  [[nodiscard]] const std::byte* position() const { return at_; }

 private:
  const std::byte* at_;
  const std::byte* end_;
  BatchEntry entry_;
  std::uint32_t left_ = 0;
  std::uint32_t opened_ = 0;
};

}  // namespace roam::am
