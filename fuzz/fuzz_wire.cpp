// SPDX-License-Identifier: Apache-2.0
// A7: a rank whose only peer sends what it likes - messages and bulk transfers for program
// handlers, object calls, migrations, remote memory, collectives. Nothing may leave the rank's own
// memory, escape as an exception, or run for ever; the exposed memory is the peer's to write.
// Arguments that do not decode may be reported as errors of the program, where code of its own
// reads them, and are counted elsewhere.
#include <span>

#include "wire_peer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace roam::fuzz;
  play<Frame>(
      {data, size}, [](roam::Runtime&) {},
      [](Peer& peer, const Frame& frame, std::span<const std::uint8_t> bytes) {
        peer.send(frame, bytes);
      });
  return 0;
}
