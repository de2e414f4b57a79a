// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "roam/am/detail/handler_table.hpp"
#include "roam/core/detail/buffer.hpp"

namespace roam::am {

/// Takes bulk data that travels beside a message (Messenger::post_beside) to its destination.
/// Called inside progress, by one thread at a time; must not block. Both functions may throw
/// MalformedMessage, which rejects the message (A7).
class BulkReceiver {
 public:
  /// Called when `size` bytes have been announced. Returns a buffer of exactly that size into which
  /// they are to be written (of borrowed memory, for example), or an empty one: then they arrive in
  /// memory of the transport. `payload` came with the announcement, in a message of the kind
  /// `message_id`; what is changed in it is passed on to landed().
  [[nodiscard]] virtual core::Buffer landing_place(Rank source, std::uint32_t message_id,
                                                   std::span<std::byte> payload,
                                                   std::size_t size) = 0;
  /// Called when the data has arrived and it is the message's turn in the order of its source (A2).
  virtual void landed(std::uint32_t message_id, Incoming&& message, core::Buffer data) = 0;

 protected:
  ~BulkReceiver() = default;
};

}  // namespace roam::am
