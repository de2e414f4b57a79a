// SPDX-License-Identifier: Apache-2.0
#include "flow/outside_work.hpp"

#include <chrono>

namespace roam::flow {

namespace {

// How long other items of a single worker wait at most.
constexpr std::chrono::microseconds longest_wait{200};
constexpr Duration patience = std::chrono::seconds(10);

}  // namespace

// seq_cst, here and below: either this sees that no item is queued, or the item that ends sees the
// count.
void OutsideWork::add() {
  count_.fetch_add(1, std::memory_order_seq_cst);
  changes_.fetch_add(1, std::memory_order_relaxed);
  if (!is_queued_.load(std::memory_order_seq_cst) &&
      !is_queued_.exchange(true, std::memory_order_seq_cst))
    engine_.push(this);
}

void OutsideWork::end(bool has_run) {
  if (!has_run) has_waiting_.store(true, std::memory_order_relaxed);
  changes_.fetch_add(1, std::memory_order_relaxed);
  running_.fetch_sub(1, std::memory_order_relaxed);
  if (count_.fetch_sub(1, std::memory_order_seq_cst) == 1) make_way();
}

void OutsideWork::make_way() {
  const std::lock_guard guard(mutex_);
  must_go_on_ = true;
  changed_.notify_one();
}

bool OutsideWork::keeps_busy() {
  if (count_.load(std::memory_order_seq_cst) == 0) return false;
  const std::uint64_t changes = changes_.load(std::memory_order_relaxed);
  if (changes != changes_seen_ || running_.load(std::memory_order_relaxed) > 0 ||
      !has_waiting_.load(std::memory_order_relaxed)) {
    changes_seen_ = changes;
    last_change_ = engine_.now();
    return true;
  }
  return engine_.now() - last_change_ < patience;
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
