// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "roam/am/detail/messenger.hpp"
#include "roam/core/detail/spin_lock.hpp"
#include "roam/offload/step_view.hpp"

namespace roam::offload {

/// How long the workers of one rank have been idle while its program awaited answers of others:
/// handlers, or methods of mobile objects wherever these were. That time is charged to the rank
/// that has answered; if several answers were awaited, the time until the first came to the first,
/// and so on, so that no idle moment counts twice. Thread-safe.
class AwaitedRanks final : public am::WaitListener {
 public:
  /// Waits that a step's report has at most, the longest.
  static constexpr std::size_t most_waits = 16;

  explicit AwaitedRanks(am::Messenger& messenger);
  /// Begins to measure. Once, by any thread.
  void start();
  void awaited(Rank answered_by, Duration idle_before) override;
  /// The waits since the last call.
  [[nodiscard]] std::vector<Wait> take();

 private:
  am::Messenger& messenger_;
  core::SpinLock lock_;
  // All idle time up to this one is charged, or was before the measurement.
  Duration charged_until_ ROAM_GUARDED_BY(lock_){0};
  std::map<std::int32_t, Duration> waits_ ROAM_GUARDED_BY(lock_);  // by the rank waited for
};

}  // namespace roam::offload
