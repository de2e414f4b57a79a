// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <thread>
#include <vector>

#include "report.hpp"

namespace bench {

/// Messages one way, rank 0 to rank 1: `windows` times as many in flight as a window holds, and an
/// answer when they have come. Without the answers the sender runs ahead, and messages that nobody
/// has asked for yet pile up at the receiver: ten times slower, with Open MPI.
struct Windows {
  std::size_t bytes = 8;
  int window = 256;
  int windows = 1;
  [[nodiscard]] int messages() const { return window * windows; }
};

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

  /// A barrier that leaves the core to others while it waits: it looks every 200 us.
  void sleep_until_both_are_here() {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (int done = 0; done == 0; MPI_Test(&request, &done, MPI_STATUS_IGNORE))
      std::this_thread::sleep_for(std::chrono::microseconds(200));
  }

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

  /// Seconds per message, the median of `count` times `plan`, two for warm-up apart: MPI_Isend of a
  /// window and MPI_Waitall against as many MPI_Irecv, each into memory of its own. Meaningful on
  /// rank 0.
  double one_way_windows(const Windows& plan, int count) {
    const auto window = static_cast<std::size_t>(plan.window);
    buffer_.resize(std::max(buffer_.size(), plan.bytes * (rank_ == 0 ? 1 : window)));
    requests_.resize(window);
    Blocks blocks;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < count + 2; ++i) {
      if (i == 2) blocks.begin(count, 1);
      for (int w = 0; w < plan.windows; ++w) exchange_window(plan.bytes);
      if (i >= 2) static_cast<void>(blocks.next());
    }
    return blocks.seconds_per_round() / plan.messages();
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
  void exchange_window(std::size_t bytes) {
    const int length = static_cast<int>(bytes);
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (rank_ == 0) {
        MPI_Isend(buffer_.data(), length, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &requests_[i]);
      } else {
        MPI_Irecv(buffer_.data() + i * bytes, length, MPI_BYTE, 0, 0, MPI_COMM_WORLD,
                  &requests_[i]);
      }
    }
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    rank_ == 0 ? receive(1) : send(1);
  }
  int rank_ = 0;
  int size_ = 0;
  std::vector<char> buffer_;
  std::vector<MPI_Request> requests_;
};

}  // namespace bench
