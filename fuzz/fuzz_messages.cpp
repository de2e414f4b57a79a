// SPDX-License-Identifier: Apache-2.0
// A7: a rank whose only peer sends system messages with any fields. All kinds that are declared
// come in: the target knows none by name. Headers are good ones, so that every input reaches a
// handler.
#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "declared_messages.hpp"
#include "wire_peer.hpp"

namespace roam::fuzz {
namespace {

const am::HandlerTable::Entry& choose(std::span<const am::HandlerTable::Entry* const> declared,
                                      std::uint32_t id) {
  const auto found = std::ranges::find(declared, id, &am::HandlerTable::Entry::id);
  return found != declared.end() ? **found : *declared[id % declared.size()];
}

}  // namespace
}  // namespace roam::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace roam::fuzz;
  std::vector<const roam::am::HandlerTable::Entry*> declared;
  play<MessageFrame>(
      {data, size}, [&](roam::Runtime& rank) { declared = declared_messages(rank); },
      [&](Peer& peer, const MessageFrame& frame, std::span<const std::uint8_t> bytes) {
        peer.send_message(choose(declared, frame.id), bytes);
      });
  return 0;
}
