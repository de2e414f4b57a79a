// SPDX-License-Identifier: Apache-2.0
// One-way time of an active message over UCX against MPI_Send and MPI_Recv, in turn in one pair of
// processes. MPI is the program's: Roam meets over it and sends nothing by it.
//   mpirun -n 2 --bind-to core bench_ping_pong_ucx [--short] [--repeats N] [--json FILE]
#include <mpi.h>

#include <cstdlib>
#include <memory>
#include <roam/transport/ucx/ucx_network.hpp>
#include <string>
#include <vector>

#include "../support/compare_ping_pong.hpp"

namespace {

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

}  // namespace

int main(int argc, char** argv) {
  return bench::compare_ping_pong(argc, argv, "active message over UCX, one way", [] {
    return roam::transport::make_ucx_network(std::make_unique<MpiBootstrap>());
  });
}
