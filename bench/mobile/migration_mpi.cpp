// SPDX-License-Identifier: Apache-2.0
// One migration between two ranks over MPI, in turn with MPI_Send and MPI_Recv of as many bytes;
// and a hundred at once, in turn with MPI_Isend of as many.
//   mpirun -n 2 --bind-to core bench_migration_mpi [--short] [--repeats N] [--json FILE]
#include <mpi.h>

#include <roam/roam.hpp>
#include <roam/transport/mpi/mpi_network.hpp>
#include <vector>

#include "../support/moving_objects.hpp"
#include "../support/raw_mpi.hpp"
#include "../support/wanderer.hpp"

namespace {

const std::vector<std::size_t> sizes{8, 65536, 1 << 20};

constexpr std::uint32_t object_count = 100;
constexpr std::size_t object_bytes = 1 << 20;

// On rank 0: seconds by size, then for one among many.
std::vector<double> roam_phase(bool is_short) {
  roam::Options options;
  options.workers = 1;
  std::vector<double> seconds;
  const auto program = [&](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() != 0) co_return;
    for (const std::size_t bytes : sizes) {
      seconds.push_back(co_await bench::migration(bytes, bench::blocks_for(bytes, is_short),
                                                  bench::rounds_for(bytes)));
    }
    const int blocks = is_short ? 3 : 7;
    seconds.push_back(co_await bench::migration_of_many<roam::Array<std::byte>>(
        object_bytes, object_count, blocks));
    seconds.push_back(co_await bench::migration_of_many<std::vector<std::byte>>(
        object_bytes, object_count, blocks));
  };
  const auto network = roam::transport::make_mpi_network(MPI_COMM_WORLD);
  if (roam::run(*network, options, program) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  return seconds;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Settings settings = bench::read_settings(argc, argv);
  bench::RawMpi mpi(argc, argv);
  if (!mpi.has_two_ranks()) return 2;
  bench::Report report("migration over MPI", "MPI_Send+Recv", "us");
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {
    const std::vector<double> ours = roam_phase(settings.is_short);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const int blocks = bench::blocks_for(sizes[i], settings.is_short);
      const double raw = mpi.one_way(sizes[i], blocks, bench::rounds_for(sizes[i]));
      if (mpi.rank() == 0) report.add(bench::size_name(sizes[i]), raw, ours[i]);
    }
    const bench::Windows all{object_bytes, static_cast<int>(object_count), 1};
    const double raw = mpi.one_way_windows(all, settings.is_short ? 3 : 7);
    if (mpi.rank() == 0) {
      report.add("1 MiB in a roam::Array, one of 100", raw, ours[sizes.size()]);
      report.add("1 MiB in a vector, one of 100", raw, ours[sizes.size() + 1]);
    }
  }
  if (mpi.rank() == 0) report.finish(settings);
  return 0;
}
