// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "roam/am/detail/messenger.hpp"
#include "roam/core/array.hpp"
#include "roam/offload/mpi/offload.h"
#include "roam/offload/offload.hpp"

namespace roam::offload {

/// The layout of a task's buffers, as it is sent.
struct CBuffers {
  std::vector<std::uint64_t> bytes;
  std::vector<std::uint8_t> access;  // 0: of a group alone, does not travel

  template <class Archive>
  void serialize(Archive& archive) {
    archive(bytes, access);
  }
};
[[nodiscard]] CBuffers layout_of(const std::vector<roam_buffer>& buffers);

[[nodiscard]] bool is_input(std::uint8_t access);
[[nodiscard]] bool is_output(std::uint8_t access);
/// Of all buffers that a task reads; of all that it writes.
[[nodiscard]] std::uint64_t input_bytes(const CBuffers& layout);
[[nodiscard]] std::uint64_t output_bytes(const CBuffers& layout);

/// Where a task's buffers lie in the memory in which they travel, each at a multiple of 64 bytes.
/// Follows from their layout alone, so that both ranks come to the same. Inputs are packed into one
/// memory, but for a large one that is lent. Outputs are in a memory of their own, or in the end of
/// that of the inputs, if nearly all of them are inputs, too: then a task works in the memory in
/// which its message came, and its result is sent from there.
struct BufferPlaces {
  static constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t alignment = 64;

  /// Throws MalformedMessage if there can be no such buffers.
  explicit BufferPlaces(const CBuffers& layout);

  std::vector<std::size_t> in_inputs;   // by buffer: where it begins, or nowhere
  std::vector<std::size_t> in_outputs;  // the same
  std::size_t lent = nowhere;           // the buffer that is sent from where it lies
  std::size_t input_bytes = 0;          // of the packed inputs
  std::size_t output_bytes = 0;
  std::size_t outputs_begin = nowhere;  // in the inputs, if the outputs are in their end
};

/// Inputs of this rank's tasks that are sent from where they lie in the program's memory. A service
/// of the rank, in use as long as its network. Any thread.
class LentInputs final : private core::Lender {
 public:
  /// The memory as an array that refers to it, to be sent.
  [[nodiscard]] Array<std::byte> lend(am::Messenger& messenger, const roam_buffer& buffer);
  /// True if some of it is still being sent.
  [[nodiscard]] bool are_needed() const { return lent_.load(std::memory_order_acquire) > 0; }
  /// The messenger will be gone when the rest comes back.
  void forget_messenger() { messenger_.store(nullptr); }

 private:
  void take_back(std::span<std::byte> memory) noexcept override;

  std::atomic<am::Messenger*> messenger_{nullptr};  // once something has been lent
  // Release: what was read, was read before. Acquire: the program may then write it.
  std::atomic<std::size_t> lent_{0};
};

/// What a task reads, without what is lent.
[[nodiscard]] Array<std::byte> packed_inputs(am::Messenger& messenger,
                                             const std::vector<roam_buffer>& buffers,
                                             const BufferPlaces& places);
/// Puts the outputs that have come back into their buffers. Throws MalformedMessage if they are not
/// as long.
void take_outputs(const std::vector<roam_buffer>& buffers, am::Incoming&& result);

/// A part of an array, which it holds. As an argument of a message it is sent from where it lies.
class ArrayPart {
 public:
  ArrayPart() = default;
  ArrayPart(Array<std::byte>&& whole, std::size_t begin, std::size_t bytes)
      : whole_(std::move(whole)), begin_(begin), bytes_(bytes) {}

  [[nodiscard]] std::byte* data() { return whole_.data() + begin_; }
  [[nodiscard]] const std::byte* data() const { return whole_.data() + begin_; }
  [[nodiscard]] std::size_t size() const { return bytes_; }
  [[nodiscard]] std::byte* begin() { return data(); }
  [[nodiscard]] std::byte* end() { return data() + bytes_; }
  [[nodiscard]] const std::byte* begin() const { return data(); }
  [[nodiscard]] const std::byte* end() const { return data() + bytes_; }
  /// The part without its first bytes.
  [[nodiscard]] ArrayPart end_from(std::size_t first) && {
    return {std::move(whole_), begin_ + first, bytes_ - first};
  }
  /// As an array, to be sent.
  [[nodiscard]] Array<std::byte> given_up() && {
    const bool is_whole = begin_ == 0 && bytes_ == whole_.size();
    if (is_whole) return std::move(whole_);
    return Array<std::byte>(std::move(*this));
  }

 private:
  Array<std::byte> whole_;
  std::size_t begin_ = 0;
  std::size_t bytes_ = 0;
};

/// The buffers of another rank's task, each aligned to 64 bytes as it would be on its own rank:
/// inputs in the memory in which they came, outputs in that in which they are sent.
class GuestBuffers {
 public:
  /// `lent`: the input that was sent from where it lay, if there is one. Throws MalformedMessage if
  /// what came is not as long as the layout says.
  GuestBuffers(am::Messenger& messenger, const CBuffers& layout, Array<std::byte>&& inputs,
               Array<std::byte>&& lent = {});
  [[nodiscard]] const std::vector<roam_buffer>& buffers() const { return buffers_; }
  /// What the task has written, given up.
  [[nodiscard]] Array<std::byte> outputs() &&;

 private:
  [[nodiscard]] std::byte* place_of(std::size_t buffer);

  BufferPlaces places_;
  ArrayPart inputs_;
  ArrayPart lent_;
  ArrayPart outputs_;
  std::vector<ArrayPart> inner_;  // buffers that do not travel
  std::vector<roam_buffer> buffers_;
};

}  // namespace roam::offload
