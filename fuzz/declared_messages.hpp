// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "roam/am/detail/system_message.hpp"
#include "wire_program.hpp"

namespace roam::fuzz {

/// In front of the payload of each message in a seed of fuzz_messages, little end first.
struct MessageFrame {
  std::uint32_t id = 0;    // am::message_id; any other number stands for one of them
  std::uint16_t size = 0;  // of the payload
  std::uint16_t reserved = 0;
};
static_assert(sizeof(MessageFrame) == 8);

/// The kinds of message that a rank of the wire program takes, as declared in the rooms.
inline std::vector<const am::HandlerTable::Entry*> declared_messages(Runtime& rank) {
  auto entries = rank.messenger().handlers().entries();
  std::erase_if(entries, [](const auto* entry) { return entry->declaration == nullptr; });
  return entries;
}

}  // namespace roam::fuzz
