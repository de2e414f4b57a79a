// SPDX-License-Identifier: Apache-2.0
#include "roam/exec/detail/parking.hpp"

namespace roam::exec {

Parking::Ticket Parking::prepare() {
  const std::lock_guard guard(mutex_);
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  return tickets_;
}

void Parking::cancel() { sleepers_.fetch_sub(1, std::memory_order_seq_cst); }

void Parking::wait(Ticket ticket, Duration longest) {
  std::unique_lock lock(mutex_);
  condition_.wait_for(lock, longest, [&] { return tickets_ != ticket; });
  sleepers_.fetch_sub(1, std::memory_order_seq_cst);
}

void Parking::wake() {
  if (sleepers_.load(std::memory_order_seq_cst) == 0) return;
  {
    const std::lock_guard guard(mutex_);
    ++tickets_;
  }
  condition_.notify_one();
}

void Parking::wake_all() {
  {
    const std::lock_guard guard(mutex_);
    ++tickets_;
  }
  condition_.notify_all();
}

}  // namespace roam::exec
