// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cstdlib>
#include <roam/transport/ucx/bootstrap.hpp>
#include <string>
#include <vector>

namespace bench {

/// The processes of MPI_COMM_WORLD.
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

}  // namespace bench
