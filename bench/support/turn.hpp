// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>
#include <unistd.h>

#include <atomic>

namespace bench {

/// Lets the two ranks of MPI_COMM_WORLD act one after the other, by memory both see and no message:
/// nobody makes progress in MPI while it waits. Collective to make and to destroy.
class Turn {
 public:
  explicit Turn(int rank) : rank_(rank) {
    MPI_Win_allocate_shared(rank == 0 ? sizeof(Turns) : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD,
                            static_cast<void*>(&turns_), &window_);
    MPI_Aint bytes = 0;
    int unit = 0;
    MPI_Win_shared_query(window_, 0, &bytes, &unit, static_cast<void*>(&turns_));
    if (rank == 0) turns_->store(0);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() { MPI_Win_free(&window_); }

  /// `act` on rank 0, then on rank 1.
  template <class Act>
  void take(Act&& act) const {
    while (turns_->load(std::memory_order_acquire) % 2 != rank_) usleep(20);
    act();
    turns_->fetch_add(1, std::memory_order_release);
  }

 private:
  using Turns = std::atomic<int>;
  const int rank_;
  Turns* turns_ = nullptr;
  MPI_Win window_ = MPI_WIN_NULL;
};

}  // namespace bench
