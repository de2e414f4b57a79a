// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "roam/am/detail/handler_table.hpp"
#include "roam/core/detail/buffer.hpp"

namespace roam::am {

/// Takes bulk data that travels beside a message (Messenger::post_beside) to where it is wanted.
/// Called inside progress, one thread at a time; must not block. Either call may throw
/// MalformedMessage, which rejects the message (A7).
class BulkReceiver {
 public:
  /// `size` bytes have been announced: a buffer of just that size for them to land in (borrowed
  /// memory, say), or none, and they land in memory of the transport's. `payload` is what came
  /// with the announcement, of the kind of message of that id; what is changed there is found again
  /// by landed().
  [[nodiscard]] virtual core::Buffer landing_place(Rank source, std::uint32_t message_id,
                                                   std::span<std::byte> payload,
                                                   std::size_t size) = 0;
  /// The data is here, and it is the message's turn in the order of its source (A2).
  virtual void landed(std::uint32_t message_id, Incoming&& message, core::Buffer data) = 0;

 protected:
  ~BulkReceiver() = default;
};

}  // namespace roam::am
