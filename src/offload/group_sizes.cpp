// SPDX-License-Identifier: Apache-2.0
#include "roam/offload/detail/group_sizes.hpp"

namespace roam::offload {

namespace {

// Tasks that travel one by one send what they have for each other home and out again. If that adds
// less than this part to what the group needs anyway, spreading them over ranks is worth more.
constexpr double negligible_part = 0.1;
constexpr double newest_group_weight = 0.25;
// Of the groups of a kind, one in so many is measured, and one in so many travels together in any
// case, so that there is something to measure.
constexpr std::uint64_t measured_every = 8;
constexpr std::uint64_t together_every = 64;

}  // namespace

bool GroupSizes::travels_together(std::uint32_t kind, std::size_t argument_bytes) {
  const core::LockGuard guard(lock_);
  Kind& known = kinds_[kind];
  const double outside = static_cast<double>(argument_bytes) + known.result_bytes;
  const bool is_together = known.measured == 0 || ++known.spawned % together_every == 0 ||
                           2 * known.inner_bytes > negligible_part * outside;
  ++(is_together ? counts_.together : counts_.apart);
  return is_together;
}

void GroupSizes::count(bool is_together) {
  const core::LockGuard guard(lock_);
  ++(is_together ? counts_.together : counts_.apart);
}

bool GroupSizes::is_due(std::uint32_t kind) {
  const core::LockGuard guard(lock_);
  return kinds_[kind].computed++ % measured_every == 0;
}

void GroupSizes::add(std::uint32_t kind, std::size_t inner_bytes, std::size_t result_bytes) {
  const core::LockGuard guard(lock_);
  Kind& known = kinds_[kind];
  const double weight = known.measured++ == 0 ? 1 : newest_group_weight;
  known.inner_bytes += weight * (static_cast<double>(inner_bytes) - known.inner_bytes);
  known.result_bytes += weight * (static_cast<double>(result_bytes) - known.result_bytes);
}

GroupSizes::Counts GroupSizes::counts() const {
  const core::LockGuard guard(lock_);
  return counts_;
}

}  // namespace roam::offload
