// SPDX-License-Identifier: Apache-2.0
#include "policy_host.hpp"

namespace roam::testing {

balance::RankLoad LonePolicyHost::load() {
  balance::RankLoad load;
  load.workers = 2;
  load.running = objects_.empty() ? 0 : 2;
  load.first_free_seconds = objects_.empty() ? 0 : 0.05;
  load.queued = static_cast<std::uint32_t>(objects_.size());
  for (const balance::ObjectLoad& one : objects_) load.queued_seconds += one.seconds;
  load.seconds = load.queued_seconds + 0.05 * load.running;
  return load;
}

// Works on copies, since `visit` may migrate the object that it is shown.
void LonePolicyHost::for_each_movable(
    double limit, double, const std::function<bool(const balance::ObjectLoad&)>& visit) {
  for (const balance::ObjectLoad& one : std::vector(objects_)) {
    if (one.seconds <= limit && !visit(one)) return;
  }
}

void LonePolicyHost::for_each_movable_above(
    double limit, double, const std::function<bool(const balance::ObjectLoad&)>& visit) {
  const std::vector<balance::ObjectLoad> objects(objects_.rbegin(), objects_.rend());
  for (const balance::ObjectLoad& one : objects) {
    if (one.seconds > limit && !visit(one)) return;
  }
}

}  // namespace roam::testing
