// SPDX-License-Identifier: Apache-2.0
// A7: a rank whose only peer sends system messages with any fields. All kinds that are declared
// come in: the target knows none by name. Headers are good ones, so that every input reaches a
// handler.
#include <algorithm>
#include <cstring>
#include <span>

#include "declared_messages.hpp"
#include "wire_peer.hpp"

namespace roam::fuzz {
namespace {

const am::HandlerTable::Entry& choose(std::span<const am::HandlerTable::Entry* const> declared,
                                      std::uint32_t id) {
  const auto found = std::ranges::find(declared, id, &am::HandlerTable::Entry::id);
  return found != declared.end() ? **found : *declared[id % declared.size()];
}

void play(std::span<const std::uint8_t> bytes) {
  StepClock clock;
  transport::InProcessNetwork network(2);
  const auto endpoint = network.endpoint(0);
  Peer peer(network.endpoint(1));
  const auto rank = start_wire_program(*endpoint, clock);
  poll(*rank, clock, peer);
  const auto declared = declared_messages(*rank);
  while (bytes.size() > sizeof(MessageFrame)) {
    MessageFrame frame;
    std::memcpy(&frame, bytes.data(), sizeof frame);
    bytes = bytes.subspan(sizeof frame);
    const std::size_t size = std::min<std::size_t>(frame.size, bytes.size());
    peer.send_message(choose(declared, frame.id), bytes.first(size));
    bytes = bytes.subspan(size);
    poll(*rank, clock, peer);
  }
  for (int turn = 0; turn < 4; ++turn) poll(*rank, clock, peer);
  endpoint->close(false);
}

}  // namespace
}  // namespace roam::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  roam::fuzz::play({data, size});
  return 0;
}
