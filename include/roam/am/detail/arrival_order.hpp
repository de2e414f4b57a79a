// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "roam/core/detail/buffer.hpp"
#include "roam/core/detail/owned.hpp"
#include "roam/core/types.hpp"
#include "roam/transport/endpoint.hpp"

namespace roam::am {

/// The order of what arrives from each rank (A2): where the network reorders, messages that come
/// before their turn wait here, and messages that follow bulk data wait until the data has come.
/// One thread at a time.
class ArrivalOrder {
 public:
  ArrivalOrder();
  ArrivalOrder(const ArrivalOrder&) = delete;
  ArrivalOrder& operator=(const ArrivalOrder&) = delete;
  ~ArrivalOrder();

  /// A message whose turn has come, and what travelled beside it, if anything.
  struct Message {
    core::Buffer message;
    core::Buffer beside;
  };

  // Order by sequence numbers, for networks that reorder.
  enum class Turn : std::uint8_t { now, later, repeated };
  /// Says when it is the message's turn, and takes the message if that is later. `repeated` means
  /// that there was one of that number before.
  [[nodiscard]] Turn turn_of(Rank source, std::uint32_t sequence, core::Buffer& message);
  /// The message that follows the last one, if it has arrived.
  [[nodiscard]] std::optional<core::Buffer> next_in_sequence(Rank source);

  // Order behind bulk data.
  /// True while bulk data of any rank is awaited.
  [[nodiscard]] bool is_awaiting() const { return awaited_ > 0; }
  /// Notes that a message is going to come as bulk data.
  void await(Rank source, transport::BulkTag tag);
  /// Notes that bulk data is going to come beside this message.
  void await_beside(Rank source, transport::BulkTag tag, core::Buffer&& message);
  /// Takes the message and returns true if others of its source are waiting; else returns false.
  [[nodiscard]] bool take_behind(Rank source, core::Buffer& message);
  /// Hands in bulk data that has come. False if nobody awaits it; the data then still belongs to
  /// the caller.
  [[nodiscard]] bool has_come(Rank source, transport::BulkTag tag, core::Buffer&& data);
  /// Removes and returns the first waiting message, if it need not wait any more.
  [[nodiscard]] std::optional<Message> next(Rank source);

 private:
  struct Place;
  struct OfRank;
  struct Ranks;
  void await(Rank source, Place&& place);
  [[nodiscard]] OfRank& of(Rank source);

  const core::Owned<Ranks> ranks_;
  std::size_t awaited_ = 0;
};

}  // namespace roam::am
