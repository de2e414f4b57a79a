// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

#include "roam/mobile/detail/residents.hpp"
#include "roam/mobile/resident_view.hpp"

namespace roam::mobile {

/// What the balancer wants to know of this rank's objects.
class ResidentLoads {
 public:
  explicit ResidentLoads(Residents& residents) : residents_(residents) {}
  [[nodiscard]] std::optional<LoadFacts> take_changed(ObjectId id) ROAM_EXCLUDES(inside_shard);
  [[nodiscard]] std::uint64_t packed_bytes(ObjectId id) ROAM_EXCLUDES(inside_shard);
  double for_each(const std::function<void(const ResidentView&)>& visit) const
      ROAM_EXCLUDES(inside_shard);
  double end_phase(const std::function<void(const ResidentView&)>& visit)
      ROAM_EXCLUDES(inside_shard);
  void add_run_time(ObjectId id, Duration run_time) ROAM_EXCLUDES(inside_shard);
  [[nodiscard]] Instant phase_began() const { return phase_began_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t pending_calls() const ROAM_EXCLUDES(inside_shard);

 private:
  Residents& residents_;
  std::atomic<Instant> phase_began_{Instant(0)};
};

}  // namespace roam::mobile
