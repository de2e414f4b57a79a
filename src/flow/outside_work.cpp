// SPDX-License-Identifier: Apache-2.0
#include "flow/outside_work.hpp"

#include <chrono>

namespace roam::flow {

namespace {

// How long other items of a single worker wait at most.
constexpr std::chrono::microseconds longest_wait{200};
constexpr Duration longest_silence = std::chrono::seconds(10);

}  // namespace

// seq_cst, here and below: either this sees that no item is queued, or the item that ends sees the
// task.
void OutsideWork::add() {
  added_.fetch_add(1, std::memory_order_seq_cst);
  if (!is_queued_.load(std::memory_order_seq_cst) &&
      !is_queued_.exchange(true, std::memory_order_seq_cst))
    engine_.push(this);
}

void OutsideWork::end(bool has_run) {
  if (!has_run) has_waiting_.store(true, std::memory_order_relaxed);
  const std::uint64_t ended = ended_.fetch_add(1, std::memory_order_seq_cst) + 1;
  if (ended == added_.load(std::memory_order_seq_cst)) make_way();
}

void OutsideWork::make_way() {
  const std::lock_guard guard(mutex_);
  must_go_on_ = true;
  changed_.notify_one();
}

bool OutsideWork::keeps_busy() {
  // The ended ones first: if as many have been added, there was a moment without any.
  const std::uint64_t ended = ended_.load(std::memory_order_seq_cst);
  const std::uint64_t begun = begun_.load(std::memory_order_relaxed);
  const std::uint64_t added = added_.load(std::memory_order_seq_cst);
  if (added == ended) return false;
  const std::uint64_t calls = added + begun + ended;
  if (calls != calls_seen_ || begun != ended || !has_waiting_.load(std::memory_order_relaxed)) {
    calls_seen_ = calls;
    last_change_ = engine_.now();
    return true;
  }
  return engine_.now() - last_change_ < longest_silence;
}

void OutsideWork::run(exec::Context& /*context*/) {
  {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, longest_wait, [this] { return must_go_on_; });
    must_go_on_ = false;
  }
  if (keeps_busy()) return engine_.push(this);
  is_queued_.store(false, std::memory_order_seq_cst);
  if (keeps_busy() && !is_queued_.exchange(true, std::memory_order_seq_cst)) engine_.push(this);
}

}  // namespace roam::flow
