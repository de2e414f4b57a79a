// SPDX-License-Identifier: Apache-2.0
// A7: a rank whose only peer sends what it likes - messages and bulk transfers for program
// handlers, object calls, migrations, remote memory, collectives. Nothing may leave the rank's own
// memory, escape as an exception, or run for ever; the exposed memory is the peer's to write.
// Arguments that do not decode may be reported as errors of the program, where code of its own
// reads them, and are counted elsewhere.
#include <cstring>
#include <span>

#include "wire_peer.hpp"

namespace roam::fuzz {
namespace {

void play(std::span<const std::uint8_t> bytes) {
  StepClock clock;
  transport::InProcessNetwork network(2);
  const auto endpoint = network.endpoint(0);
  Peer peer(network.endpoint(1));
  const auto rank = start_wire_program(*endpoint, clock);
  poll(*rank, clock, peer);
  while (bytes.size() > sizeof(Frame)) {
    Frame frame;
    std::memcpy(&frame, bytes.data(), sizeof frame);
    bytes = bytes.subspan(sizeof frame);
    const std::size_t size = std::min<std::size_t>(frame.size, bytes.size());
    peer.send(frame, bytes.first(size));
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
