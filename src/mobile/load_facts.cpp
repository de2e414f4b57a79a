// SPDX-License-Identifier: Apache-2.0
// What the balancer asks of this rank's objects.
#include <mutex>
#include <utility>

#include "roam/mobile/object_space.hpp"
#include "roam/mobile/resident.hpp"

namespace roam::mobile {

namespace {
// What travels with an object besides its own bytes and its calls, about.
constexpr std::uint64_t bytes_beside = 128;

ResidentView view_of(const Resident& resident) {
  return {resident.id, resident.record, resident.type, resident.object, resident.is_bound()};
}
}  // namespace

double ObjectSpace::for_each_resident(const std::function<void(const ResidentView&)>& visit) const {
  double run_seconds = 0;
  for (Shard& shard : directory_) {
    const std::lock_guard guard(shard.lock);
    run_seconds += shard.phase_seconds;
    shard.entries.for_each([&](const Directory::Entry& entry) {
      const Resident* resident = entry.resident();
      if (resident != nullptr && resident->state == Resident::State::settled)
        visit(view_of(*resident));
    });
  }
  return run_seconds;
}

std::uint64_t ObjectSpace::packed_bytes(ObjectId id) {
  Shard& shard = directory_.shard(id);
  const std::lock_guard guard(shard.lock);
  const Directory::Entry* const entry = shard.find(id);
  Resident* const resident = entry == nullptr ? nullptr : entry->resident();
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

std::optional<LoadFacts> ObjectSpace::take_changed_load(ObjectId id) {
  Shard& shard = directory_.shard(id);
  const std::lock_guard guard(shard.lock);
  const Directory::Entry* const entry = shard.find(id);
  Resident* const resident = entry == nullptr ? nullptr : entry->resident();
  if (resident == nullptr) return std::nullopt;
  resident->activity.is_told = false;
  if (resident->state == Resident::State::in_transit) return std::nullopt;
  return LoadFacts{resident->record, resident->activity};
}

double ObjectSpace::end_load_phase(const std::function<void(const ResidentView&)>& visit) {
  double run_seconds = 0;
  load_phase_began_.store(engine().now(), std::memory_order_relaxed);
  for (Shard& shard : directory_) {
    const std::lock_guard guard(shard.lock);
    run_seconds += std::exchange(shard.phase_seconds, 0);
    shard.entries.for_each([&](const Directory::Entry& entry) {
      Resident* resident = entry.resident();
      if (resident == nullptr || resident->state != Resident::State::settled) return;
      visit(view_of(*resident));
      if (resident->record.phase_seconds > 0) resident->record.has_run = 1;
      resident->record.phase_seconds = 0;
    });
  }
  return run_seconds;
}

}  // namespace roam::mobile
