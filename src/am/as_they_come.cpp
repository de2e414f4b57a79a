// SPDX-License-Identifier: Apache-2.0
#include "roam/am/detail/as_they_come.hpp"

#include <mutex>

namespace roam::am {

void Arrivals::Expected::run(exec::Context& /*context*/) {
  const std::shared_ptr<Arrivals> keep = std::move(arrivals);  // this may be the last reference
  keep->has_come(index);
}

void Arrivals::Expected::drop() { const std::shared_ptr<Arrivals> last = std::move(arrivals); }

void Arrivals::expect(PendingReply& reply, std::size_t index) {
  Expected& expected = expected_.emplace_back();
  expected.index = index;
  expected.arrivals = shared_from_this();
  expected.capture(std::noop_coroutine());
  if (reply.wait(&expected)) return;
  expected.arrivals.reset();
  has_come(index);
}

void Arrivals::has_come(std::size_t index) {
  Waiter* waiter = nullptr;
  {
    const std::lock_guard guard(lock_);
    come_.push_back(index);
    waiter = std::exchange(waiter_, nullptr);
  }
  if (waiter != nullptr) waiter->resume();
}

void Arrivals::leave() {
  const std::lock_guard guard(lock_);
  waiter_ = nullptr;
}

std::optional<std::size_t> Arrivals::next_or_wait(Waiter* waiter) {
  const std::lock_guard guard(lock_);
  if (come_.empty()) {
    waiter_ = waiter;
    return std::nullopt;
  }
  const std::size_t index = come_.front();
  come_.pop_front();
  return index;
}

void Arrivals::forget(std::size_t index) { expected_[index].arrivals.reset(); }

}  // namespace roam::am
