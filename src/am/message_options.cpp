// SPDX-License-Identifier: Apache-2.0
#include "roam/am/message_options.hpp"

#include "roam/core/option_group.hpp"

namespace roam::am {

namespace {

constexpr std::uint64_t kib = 1024;
constexpr std::uint64_t gib = kib * kib * kib;

const core::OptionGroup<MessageOptions> message_options(
    {"Messages"}, [](core::OptionGroup<MessageOptions>& group) {
      group.bytes("message-threshold", &MessageOptions::message_threshold_bytes, {256, gib},
                  "Longer messages go split-phase");
      group.bytes("high-water", &MessageOptions::high_water_bytes, {4 * kib, kib * gib},
                  "Memory of unsent messages past which a sender is held back");
      group.bytes("receive-memory", &MessageOptions::receive_memory_bytes, {64 * kib, kib * gib},
                  "Memory of waiting arrivals past which a rank stops its senders");
    });

}  // namespace

}  // namespace roam::am
