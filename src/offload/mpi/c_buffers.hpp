// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "roam/am/detail/messenger.hpp"
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
/// Of all ROAM_IN and ROAM_INOUT buffers; of all ROAM_OUT and ROAM_INOUT buffers.
[[nodiscard]] std::uint64_t input_bytes(const CBuffers& layout);
[[nodiscard]] std::uint64_t output_bytes(const CBuffers& layout);

/// What a task reads, one buffer behind the other.
[[nodiscard]] Array<std::byte> packed_inputs(am::Messenger& messenger,
                                             const std::vector<roam_buffer>& buffers);
/// Puts the outputs that have come back into their buffers. Throws MalformedMessage if they are not
/// as long.
void take_outputs(const std::vector<roam_buffer>& buffers, am::Incoming&& result);

/// The buffers of another rank's task, each aligned to 64 bytes as it would be on its own rank.
class GuestBuffers {
 public:
  /// Throws MalformedMessage if the inputs are not as long as the layout says.
  GuestBuffers(const CBuffers& layout, std::span<const std::byte> inputs);
  [[nodiscard]] const std::vector<roam_buffer>& buffers() const { return buffers_; }
  /// What the task has written, one buffer behind the other.
  [[nodiscard]] std::vector<std::byte> outputs() const;

 private:
  std::vector<std::byte> memory_;
  std::vector<roam_buffer> buffers_;
  std::uint64_t output_bytes_ = 0;
};

}  // namespace roam::offload
