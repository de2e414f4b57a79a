// SPDX-License-Identifier: Apache-2.0
#include "resident_loads.hpp"

#include <utility>

namespace roam::mobile {

namespace {
// About how many bytes are sent with an object besides its own and its calls.
constexpr std::uint64_t bytes_beside = 128;

ResidentView view_of(const Resident& resident) ROAM_REQUIRES(inside_shard) {
  return {resident.id, resident.record, resident.type, resident.object, resident.is_bound()};
}
}  // namespace

double ResidentLoads::for_each(const std::function<void(const ResidentView&)>& visit) const {
  double run_seconds = 0;
  for (Directory::Shard& shard : residents_.directory()) {
    const ShardLock lock(shard);
    run_seconds += shard.phase_seconds;
    Residents::for_each_in(shard, [&](const Resident& resident) {
      inside_shard.assert_held();
      if (resident.state == Resident::State::settled) visit(view_of(resident));
    });
  }
  return run_seconds;
}

double ResidentLoads::end_phase(const std::function<void(const ResidentView&)>& visit) {
  double run_seconds = 0;
  phase_began_.store(residents_.engine().now(), std::memory_order_relaxed);
  for (Directory::Shard& shard : residents_.directory()) {
    const ShardLock lock(shard);
    run_seconds += std::exchange(shard.phase_seconds, 0);
    Residents::for_each_in(shard, [&](Resident& resident) {
      inside_shard.assert_held();
      if (resident.state != Resident::State::settled) return;
      visit(view_of(resident));
      if (resident.record.phase_seconds > 0) resident.record.has_run = 1;
      resident.record.phase_seconds = 0;
    });
  }
  return run_seconds;
}

void ResidentLoads::add_run_time(ObjectId id, Duration run_time) {
  Directory::Shard& shard = residents_.shard(id);
  const ShardLock lock(shard);
  Resident* const resident = shard.resident(id);
  if (resident == nullptr) return;
  resident->record.phase_seconds += seconds(run_time);
  if (resident->state == Resident::State::settled) resident->record.packed_bytes = 0;
  shard.phase_seconds += seconds(run_time);
}

std::uint64_t ResidentLoads::packed_bytes(ObjectId id) {
  Directory::Shard& shard = residents_.shard(id);
  const ShardLock lock(shard);
  Resident* const resident = shard.resident(id);
  if (resident == nullptr) return 0;
  std::uint64_t& bytes = resident->record.packed_bytes;
  if (bytes != 0 || resident->state != Resident::State::settled || resident->is_bound()) {
    return bytes;
  }
  try {
    core::Packer packer = core::Packer::counting();
    resident->type.functions().pack(packer, resident->object);
    bytes = packer.counted() + bytes_beside;
  } catch (...) {  // if it moves, this is reported
  }
  return bytes;
}

std::optional<LoadFacts> ResidentLoads::take_changed(ObjectId id) {
  Directory::Shard& shard = residents_.shard(id);
  const ShardLock lock(shard);
  Resident* const resident = shard.resident(id);
  if (resident == nullptr) return std::nullopt;
  resident->activity.is_told = false;
  if (resident->state == Resident::State::in_transit) return std::nullopt;
  return LoadFacts{resident->record, resident->activity};
}

std::uint64_t ResidentLoads::pending_calls() const {
  std::uint64_t pending = 0;
  for (Directory::Shard& shard : residents_.directory()) {
    const ShardLock lock(shard);
    Residents::for_each_in(shard, [&](const Resident& resident) {
      inside_shard.assert_held();
      pending += resident.record.pending_calls;
    });
  }
  return pending;
}

}  // namespace roam::mobile
