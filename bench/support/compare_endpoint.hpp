// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdlib>
#include <string>

#include "arguments.hpp"
#include "endpoint_pair.hpp"
#include "raw_mpi.hpp"
#include "turn.hpp"

namespace bench {

// What is counted, apart from what keeps the two sides in step.
[[gnu::noinline]] inline void counted_send(EndpointPair& pair, std::size_t bytes) {
  pair.send(bytes);
}
[[gnu::noinline]] inline void counted_receive(EndpointPair& pair) { pair.receive(); }
[[gnu::noinline]] inline void counted_idle(EndpointPair& pair) { pair.poll(); }
[[gnu::noinline]] inline void counted_raw_send(RawMpi& mpi, std::size_t bytes) { mpi.send(bytes); }
[[gnu::noinline]] inline void counted_raw_receive(RawMpi& mpi, std::size_t bytes) {
  mpi.receive(bytes);
}

/// Each counted_ function 1000 times, for a profiler. A message is there before the other side
/// looks for it, so that no look is in vain but those of counted_idle.
inline void play_in_step(RawMpi& mpi, EndpointPair& pair, std::size_t bytes) {
  const Turn turn(mpi.rank());
  mpi.one_way(bytes, 1, 10);
  pair.one_way(bytes, 1, 10);
  for (int i = 0; i < 1000; ++i) {
    turn.take([&] { counted_raw_send(mpi, bytes); });
    turn.take([&] { counted_raw_receive(mpi, bytes); });
  }
  for (int i = 0; i < 1000; ++i) {
    turn.take([&] { counted_send(pair, bytes); });
    turn.take([&] { counted_receive(pair); });
    turn.take([&] { counted_idle(pair); });
  }
}

/// The whole benchmark: endpoints of the networks that `make_network` makes, one per row and
/// repeat, against raw MPI in turn in one pair of processes.
template <class MakeNetwork>
int compare_endpoint(int argc, char** argv, const char* title, MakeNetwork make_network) {
  const char* const lockstep = take_argument(argc, argv, "--lockstep", true);
  const Settings settings = read_settings(argc, argv);
  RawMpi mpi(argc, argv);
  if (!mpi.has_two_ranks()) return 2;
  if (lockstep != nullptr) {
    const auto network = make_network();
    EndpointPair pair(*network);
    play_in_step(mpi, pair, std::strtoul(lockstep, nullptr, 10));
    return 0;
  }
  Report report(title, "MPI_Send+Recv", "us");
  const auto compare = [&](std::size_t bytes, const char* series, auto measure) {
    const int count = blocks_for(bytes, settings.is_short);
    const int rounds = rounds_for(bytes);
    const double raw = mpi.one_way(bytes, count, rounds);
    const auto network = make_network();
    EndpointPair pair(*network);
    report.add({size_name(bytes) + ", " + series, series, bytes}, raw,
               (pair.*measure)(bytes, count, rounds));
  };
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {
    for (const std::size_t bytes : {8, 64, 512, 4096, 16384, 65536})
      compare(bytes, "message", &EndpointPair::one_way);
    for (const std::size_t bytes : {65536, 262144, 1 << 20, 4 << 20})
      compare(bytes, "bulk", &EndpointPair::bulk_one_way);
  }
  if (mpi.rank() == 0) report.finish(settings);
  return 0;
}

}  // namespace bench
