// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <tuple>

#include "roam/am/detail/system_message.hpp"
#include "roam/am/reply.hpp"
#include "roam/core/serialise.hpp"
#include "roam/core/types.hpp"

namespace roam::mobile {

/// The part of a call's header that is always sent. With the message's own header and 8 bytes of
/// arguments it fits a cache line.
struct CallAddress {
  std::uint64_t object = 0;
  std::uint64_t reply_token = 0;  // at the origin; 0: nobody waits
  std::int32_t origin = -1;       // the rank that issued it
  std::uint32_t sequence = 0;     // among the origin's calls to this object (M3)
  std::uint32_t method = 0;
  std::uint16_t hops = 0;  // how often it was forwarded because the object had moved
  std::uint8_t priority = 0;
  std::uint8_t flags = 0;
  static constexpr auto fields(auto& m) {
    return std::tie(m.object, m.reply_token, m.origin, m.sequence, m.method, m.hops, m.priority,
                    m.flags);
  }
};

/// An address together with the number to be sent in it.
class NumberedAddress {
 public:
  static constexpr std::size_t bytes = sizeof(CallAddress);
  NumberedAddress(const CallAddress& address, std::uint32_t sequence)
      : address_(&address), sequence_(sequence) {}
  void write_to(std::byte* place) const {
    std::memcpy(place, address_, bytes);
    std::memcpy(place + offsetof(CallAddress, sequence), &sequence_, sizeof sequence_);
  }

 private:
  const CallAddress* address_;  // the number in it is not used
  std::uint32_t sequence_;
};

/// The part of a call's header that has other values than these for few calls only.
struct CallDetails {
  std::uint64_t epoch = 0;  // the epoch to which the call belongs (M10); 0: none
  float cost_seconds = -1;
  float weight = 1;
  static constexpr auto fields(auto& m) { return std::tie(m.epoch, m.cost_seconds, m.weight); }
};

/// The header of a call; the arguments follow. On the wire it is the address, followed by the
/// details if they are not the usual ones.
struct CallHeader : CallAddress, CallDetails {
  static constexpr am::MessageKind kind{"roam.call", am::Counted::yes, am::Behind::bytes_and_array};
  static constexpr void describe(auto& text) {
    am::detail::describe_layout<CallAddress>(text);
    text.add(", with flag 8 ");
    am::detail::describe_layout<CallDetails>(text);
  }

  static constexpr std::uint8_t is_cancelled = 1;  // the call is not to be run
  // Stands for a coroutine that goes on; never sent.
  static constexpr std::uint8_t regains_access = 2;
  /// The call is an element's part in an operation on its collection. Its reply token is then that
  /// of the operation, and its answer goes to the collection at the object's home.
  static constexpr std::uint8_t is_part = 4;
  static constexpr std::uint8_t has_details = 8;  // the details follow on the wire
  // The cost was estimated and not stated by the program.
  static constexpr std::uint8_t is_estimated = 16;
  static constexpr std::uint8_t may_travel = is_cancelled | is_part | has_details | is_estimated;

  [[nodiscard]] bool has(std::uint8_t flag) const { return (flags & flag) != 0; }
  [[nodiscard]] am::ReplyTo reply_to() const {
    return has(is_part) ? am::ReplyTo{} : am::ReplyTo{Rank(origin), reply_token};
  }
  /// True if the details have their usual values. A negative cost is an unknown one.
  [[nodiscard]] bool is_usual() const { return epoch == 0 && cost_seconds < 0 && weight == 1; }

  void write(core::Packer& packer) const {
    CallAddress address = *this;
    const auto kept = static_cast<std::uint8_t>(flags & ~has_details);
    address.flags = is_usual() ? kept : static_cast<std::uint8_t>(kept | has_details);
    packer.write(&address, sizeof address);
    if (is_usual()) return;
    const CallDetails details = *this;
    packer.write(&details, sizeof details);
  }
  /// Reads a header. Throws MalformedMessage if there are too few bytes.
  [[nodiscard]] static CallHeader read(core::Unpacker& bytes) {
    CallHeader header;
    bytes.read(static_cast<CallAddress*>(&header), sizeof(CallAddress));
    if (header.has(has_details)) [[unlikely]]
      bytes.read(static_cast<CallDetails*>(&header), sizeof(CallDetails));
    return header;
  }
  /// The length of the header on the wire, once read.
  [[nodiscard]] std::size_t bytes_read() const {
    return sizeof(CallAddress) + (has(has_details) ? sizeof(CallDetails) : 0);
  }
};
static_assert(CallHeader::has_details == 8, "the layout says it");
static_assert(sizeof(CallAddress) == 32 && sizeof(CallDetails) == 16 && sizeof(CallHeader) == 48);

}  // namespace roam::mobile
