// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>

#include "roam/core/detail/buffer.hpp"
#include "roam/core/types.hpp"
#include "roam/transport/endpoint.hpp"

namespace roam::am {

/// The order of what arrives from each rank (A2): messages that come before their turn wait here
/// where the network reorders, and messages behind bulk data wait for that. Of one thread at a
/// time.
class ArrivalOrder {
 public:
  /// A message whose turn has come; what travelled beside it, if anything.
  struct Message {
    core::Buffer message;
    core::Buffer beside;
  };

  // By sequence numbers, where the network reorders.
  enum class Turn : std::uint8_t { now, later, repeated };
  /// Takes `message` if its turn comes later. `repeated`: there was one of that number.
  [[nodiscard]] Turn turn_of(Rank source, std::uint32_t sequence, core::Buffer& message);
  /// The message behind the last one, if it is here.
  [[nodiscard]] std::optional<core::Buffer> next_in_sequence(Rank source);

  // Behind bulk data.
  /// True while bulk data of whatever rank is awaited.
  [[nodiscard]] bool is_awaiting() const { return awaited_ > 0; }
  /// A message is to come as bulk data.
  void await(Rank source, transport::BulkTag tag) { await(source, {{}, {}, tag, true, false}); }
  /// Bulk data is to come beside this message.
  void await_beside(Rank source, transport::BulkTag tag, core::Buffer&& message) {
    await(source, {std::move(message), {}, tag, true, true});
  }
  /// Takes the message if others of its source wait; else false.
  [[nodiscard]] bool take_behind(Rank source, core::Buffer& message);
  /// False if nobody awaits this data, which is then still the caller's.
  [[nodiscard]] bool has_come(Rank source, transport::BulkTag tag, core::Buffer&& data);
  /// The first message that waited, if it waits no longer.
  [[nodiscard]] std::optional<Message> next(Rank source);

 private:
  struct Place {
    core::Buffer message;
    core::Buffer beside;
    transport::BulkTag tag = 0;
    bool is_awaited = false;
    bool goes_beside = false;  // what is awaited
  };
  struct OfRank {
    std::uint32_t next_sequence = 0;
    std::map<std::uint32_t, core::Buffer> early;  // by sequence number
    std::deque<Place> line;  // begins with one that is awaited, or is being emptied
  };
  void await(Rank source, Place&& place);

  std::unordered_map<std::int32_t, OfRank> of_rank_;
  std::size_t awaited_ = 0;
};

}  // namespace roam::am
