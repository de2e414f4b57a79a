// SPDX-License-Identifier: Apache-2.0
// One-way time of an active message over UCX against MPI_Send and MPI_Recv, in turn in one pair of
// processes. MPI is the program's: Roam meets over it and sends nothing by it.
//   mpirun -n 2 --bind-to core bench_ping_pong_ucx [--short] [--repeats N] [--json FILE]
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <roam/roam.hpp>
#include <roam/transport/ucx/ucx_network.hpp>
#include <string>
#include <vector>

#include "../support/message_ping_pong.hpp"
#include "../support/raw_mpi.hpp"

namespace {

using Sizes = std::vector<std::size_t>;

// The processes of MPI_COMM_WORLD.
class MpiBootstrap final : public roam::transport::Bootstrap {
 public:
  MpiBootstrap() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  roam::Rank rank() const override { return rank_; }
  std::int32_t size() const override { return size_; }
  std::vector<std::string> allgather(const std::string& mine) override {
    std::vector<std::string> all(static_cast<std::size_t>(size_));
    for (int rank = 0; rank < size_; ++rank) {
      std::string& text = all[static_cast<std::size_t>(rank)];
      if (rank == rank_) text = mine;
      unsigned long long bytes = text.size();
      MPI_Bcast(&bytes, 1, MPI_UNSIGNED_LONG_LONG, rank, MPI_COMM_WORLD);
      text.resize(bytes);
      MPI_Bcast(text.data(), static_cast<int>(bytes), MPI_BYTE, rank, MPI_COMM_WORLD);
    }
    return all;
  }
  void abort(int status) override {
    MPI_Abort(MPI_COMM_WORLD, status);
    std::_Exit(status);
  }

 private:
  int rank_ = 0;
  int size_ = 0;
};

// Seconds by size, on rank 0.
std::vector<double> roam_phase(roam::ProgressMode mode, const Sizes& sizes, bool is_short) {
  roam::Options options;
  options.workers = 1;
  options.progress_mode = mode;
  std::vector<double> seconds;
  const auto program = [&](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() != 0) co_return;
    for (const std::size_t bytes : sizes) {
      seconds.push_back(co_await bench::message_one_way(bytes, bench::blocks_for(bytes, is_short),
                                                        bench::rounds_for(bytes)));
    }
  };
  const auto network = roam::transport::make_ucx_network(std::make_unique<MpiBootstrap>());
  if (roam::run(*network, options, program) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  return seconds;
}

std::vector<double> raw_phase(bench::RawMpi& mpi, const Sizes& sizes, bool is_short) {
  std::vector<double> seconds;
  for (const std::size_t bytes : sizes) {
    seconds.push_back(
        mpi.one_way(bytes, bench::blocks_for(bytes, is_short), bench::rounds_for(bytes)));
  }
  return seconds;
}

}  // namespace

int main(int argc, char** argv) {
  bench::RawMpi mpi(argc, argv);
  if (!mpi.has_two_ranks()) return 2;
  const bench::Settings settings = bench::read_settings(argc, argv);
  const Sizes small{8, 64, 512};
  Sizes all{8, 64, 512, 4096, 16384, 65536, 262144, 1 << 20};
  if (!settings.is_short) all.push_back(4 << 20);
  bench::Report report("active message over UCX, one way", "MPI_Send+Recv", "us");
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {
    for (const auto mode : {roam::ProgressMode::shared, roam::ProgressMode::polling}) {
      const Sizes& sizes = mode == roam::ProgressMode::shared ? all : small;
      const std::vector<double> raw = raw_phase(mpi, sizes, settings.is_short);
      const std::vector<double> ours = roam_phase(mode, sizes, settings.is_short);
      for (std::size_t i = 0; i < ours.size(); ++i) {
        report.add(bench::size_name(sizes[i]) + ", " + std::string(to_string(mode)), raw[i],
                   ours[i]);
      }
    }
  }
  if (mpi.rank() == 0) report.finish(settings);
  return 0;
}
