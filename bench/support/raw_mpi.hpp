// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdio>
#include <vector>

#include "report.hpp"

namespace bench {

/// MPI for the life of a two-rank benchmark, at the thread level Roam asks for when it starts MPI
/// itself. MPI_Send and MPI_Recv on MPI_COMM_WORLD are the yardstick.
class RawMpi {
 public:
  RawMpi(int& argc, char**& argv, int thread_level = MPI_THREAD_SERIALIZED) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, thread_level, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    if (size_ != 2 && rank_ == 0) std::fprintf(stderr, "needs 2 ranks: mpirun -n 2 %s\n", argv[0]);
  }
  RawMpi(const RawMpi&) = delete;
  RawMpi& operator=(const RawMpi&) = delete;
  ~RawMpi() { MPI_Finalize(); }

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] bool has_two_ranks() const { return size_ == 2; }

  /// Seconds one way; meaningful on rank 0.
  double one_way(std::size_t bytes, int count, int rounds) {
    buffer_.resize(std::max(buffer_.size(), bytes));
    Blocks blocks;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < rounds * (count + 2); ++i) {
      if (i == 2 * rounds) blocks.begin(count, rounds);
      if (rank_ == 0) send(bytes);
      receive(bytes);
      if (rank_ == 1) send(bytes);
      if (i >= 2 * rounds) static_cast<void>(blocks.next());
    }
    return blocks.seconds_per_round() / 2;
  }

  /// One message, after a one_way() of at least its size.
  void send(std::size_t bytes) {
    MPI_Send(buffer_.data(), static_cast<int>(bytes), MPI_BYTE, 1 - rank_, 0, MPI_COMM_WORLD);
  }
  void receive(std::size_t bytes) {
    MPI_Recv(buffer_.data(), static_cast<int>(bytes), MPI_BYTE, 1 - rank_, 0, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
  }

 private:
  int rank_ = 0;
  int size_ = 0;
  std::vector<char> buffer_;
};

}  // namespace bench
