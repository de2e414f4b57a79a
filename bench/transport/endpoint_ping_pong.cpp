// SPDX-License-Identifier: Apache-2.0
// One way of a message between two bare endpoints: no active messages, no engine. Against
// MPI_Send/MPI_Recv, in turn in one pair of processes. Transport: mpi (default) or ucx.
//   mpirun -n 2 --bind-to core bench_endpoint_ping_pong [mpi|ucx] [--short] [--repeats N]
//
// In instructions, which no other program of the machine disturbs:
//   mpirun -n 2 valgrind --tool=callgrind --callgrind-out-file=counted.%p
//       bench_endpoint_ping_pong [mpi|ucx] --lockstep 8
//   callgrind_annotate --inclusive=yes --threshold=100 counted.<process> | grep 'counted_.*\['
// Each counted_ function executes those of 1000 messages of the size given.
#include <mpi.h>

#include <cstdlib>
#include <roam/transport/registry.hpp>
#include <string>
#include <vector>

#include "../support/arguments.hpp"
#include "../support/endpoint_pair.hpp"
#include "../support/raw_mpi.hpp"
#include "../support/turn.hpp"

namespace {

constexpr int lockstep_rounds = 1000;

// What is counted, apart from what puts the two sides in step.
[[gnu::noinline]] void counted_send(bench::EndpointPair& pair, std::size_t bytes) {
  pair.send(bytes);
}
[[gnu::noinline]] void counted_receive(bench::EndpointPair& pair) { pair.receive(); }
[[gnu::noinline]] void counted_idle(bench::EndpointPair& pair) { pair.poll(); }
[[gnu::noinline]] void counted_raw_send(bench::RawMpi& mpi, std::size_t bytes) { mpi.send(bytes); }
[[gnu::noinline]] void counted_raw_receive(bench::RawMpi& mpi, std::size_t bytes) {
  mpi.receive(bytes);
}

// A message is there before the other side looks for it, so each look finds one.
void play_in_step(bench::RawMpi& mpi, bench::EndpointPair& pair, std::size_t bytes) {
  const bench::Turn turn(mpi.rank());
  mpi.one_way(bytes, 1, 10);
  pair.one_way(bytes, 1, 10);
  for (int i = 0; i < lockstep_rounds; ++i) {
    turn.take([&] { counted_raw_send(mpi, bytes); });
    turn.take([&] { counted_raw_receive(mpi, bytes); });
  }
  for (int i = 0; i < lockstep_rounds; ++i) {
    turn.take([&] { counted_send(pair, bytes); });
    turn.take([&] { counted_receive(pair); });
    turn.take([&] { counted_idle(pair); });
  }
}

void compare(bench::RawMpi& mpi, bench::EndpointPair& pair, const bench::Settings& settings) {
  bench::Report report(std::string("endpoint of transport ") + pair.name() + ", one way",
                       "MPI_Send+Recv", "us");
  std::vector<std::size_t> sizes{8, 64, 512, 4096, 16384, 65536};
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {
    for (const std::size_t bytes : sizes) {
      const int blocks = bench::blocks_for(bytes, settings.is_short);
      const int rounds = bench::rounds_for(bytes);
      const double raw = mpi.one_way(bytes, blocks, rounds);
      report.add(bench::size_name(bytes), raw, pair.one_way(bytes, blocks, rounds));
    }
    for (const std::size_t bytes :
         {std::size_t{65536}, std::size_t{1} << 20, std::size_t{4} << 20}) {
      const int blocks = bench::blocks_for(bytes, settings.is_short);
      const int rounds = bench::rounds_for(bytes);
      const double raw = mpi.one_way(bytes, blocks, rounds);
      report.add(bench::size_name(bytes) + " bulk", raw, pair.bulk_one_way(bytes, blocks, rounds));
    }
  }
  if (mpi.rank() == 0) report.finish(settings);
}

}  // namespace

int main(int argc, char** argv) {
  bench::RawMpi mpi(argc, argv);
  if (!mpi.has_two_ranks()) return 2;
  const char* const lockstep = bench::take_argument(argc, argv, "--lockstep", true);
  static_cast<void>(bench::take_argument(argc, argv, "mpi", false));
  const bool is_ucx = bench::take_argument(argc, argv, "ucx", false) != nullptr;
  const bench::Settings settings = bench::read_settings(argc, argv);
  const auto network = roam::transport::make_network(is_ucx ? "ucx" : "mpi", {});
  bench::EndpointPair pair(*network);
  if (lockstep != nullptr) {
    play_in_step(mpi, pair, std::strtoul(lockstep, nullptr, 10));
  } else {
    compare(mpi, pair, settings);
  }
  return 0;
}
