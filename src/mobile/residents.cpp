// SPDX-License-Identifier: Apache-2.0
#include "roam/mobile/detail/residents.hpp"

#include <utility>

#include "forgetting.hpp"
#include "owners.hpp"
#include "rare_state.hpp"
#include "resident_steps.hpp"
#include "roam/mobile/detail/object_space.hpp"

namespace roam::mobile {

Residents::Residents(ObjectSpace& space, am::Messenger& messenger,
                     const ObjectSpaceOptions& options)
    : space_(space),
      messenger_(messenger),
      engine_(messenger.engine()),
      options_(options),
      applier_(space, engine_),
      watch_(messenger.rank(), methods_),
      directory_(engine_.workers() > 1 ? 64 : 4) {
  ObjectType::require_different_names();
  for (const Method* method = Method::first(); method != nullptr; method = method->next())
    messenger_.require_everywhere(method->program_name().symbol);
}

void Residents::give_up_all() {
  inside_shard.assert_held();  // no other thread is left
  for (Shard& shard : directory_) {
    shard.entries.for_each([](Entry& entry) {
      inside_shard.assert_held();
      if (entry.resident() != nullptr) entry.resident()->end_use();
    });
    shard.closing.for_each([](CallQueue& calls) {
      while (!calls.empty()) delete calls.pop();
    });
  }
}

void Residents::add_to(ObjectSpaceStats& stats) const {
  stats.objects_created = created_.load(std::memory_order_relaxed);
  stats.calls_set_aside = set_aside_.load(std::memory_order_relaxed);
}

// Not analysed: it uses addresses, which do not change, and the memory that leads to the buckets,
// which is atomic.
void Residents::add_to(exec::WorkingSet& set) const ROAM_NO_THREAD_SAFETY_ANALYSIS {
  for (const Shard& shard : directory_) shard.add_to(set);
  methods_.add_to(set);
}

// Not analysed: whoever looks ahead turns all ranks on one thread.
void Residents::look_ahead(ObjectId id, int step) const ROAM_NO_THREAD_SAFETY_ANALYSIS {
  const LocationTable& entries = shard(id).entries;
  if (step == 0) return entries.look_ahead(id);
  const Entry* const entry = entries.find_at_once(id);
  const Resident* const resident = entry == nullptr ? nullptr : entry->resident();
  if (resident == nullptr) return;
  if (step == 1) return core::prefetch_to_write(resident, sizeof *resident);
  core::prefetch_to_write(resident->object);
  resident->expected.look_ahead();
}

void Residents::adopt(ObjectId id, const ObjectType& type, void* object) {
  auto* resident = new Resident(space_, id, type, object);
  Shard& shard = directory_.shard(id);
  {
    const ShardLock lock(shard);
    Entry& entry = new_entry(shard, id);
    entry.set_place(rank(), 0);
    entry.set_resident(resident);
    watch_.saw(Step::created, *resident);
    tell(*resident, LoadListener::Change::arrived);
  }
  apply(Effects<>());
  created_.fetch_add(1, std::memory_order_relaxed);
  count_residents(1);
}

Residents::Entry* Residents::first_entry(Shard& shard, ObjectId id) {
  if (id.home() == rank() || !id) return nullptr;
  Entry& entry = new_entry(shard, id);
  entry.set_place(id.home(), 0);
  return &entry;
}

Residents::Entry& Residents::new_entry(Shard& shard, ObjectId id) {
  if (id.home() != rank()) space_.owners().forgetting.has_grown(++shard.foreign);
  return shard.entries.insert(id);
}

void Residents::forget(Shard& shard, Entry& entry) {
  watch_.saw(Step::forgot, entry.id(), no_rank, entry.version());
  if (entry.id().home() != rank()) --shard.foreign;
  shard.entries.erase(entry);
}

namespace {
/// Stands for an object with an urgent call whose own ready item is queued among less urgent ones.
class Boost final : public exec::ReadyItem {
 public:
  explicit Boost(Resident& resident) ROAM_REQUIRES(inside_shard) : resident_(resident) {
    priority = resident.urgency();
    announced_work = resident.announced_work;
    resident.add_user();
  }
  void run(exec::Context& context) override {
    Resident& resident = resident_;
    delete this;
    resident.run_boosted(context);
  }
  void drop() override {
    resident_.drop();
    delete this;
  }

 private:
  Resident& resident_;
};
}  // namespace

[[gnu::noinline]] exec::ReadyItem* Residents::boost(Resident& resident) {
  resident.boosted = true;
  return new Boost(resident);
}

[[gnu::noinline]] void Residents::set_aside(Resident& resident, Call* call) {
  const CallHeader& header = call->header();
  set_aside_.fetch_add(1, std::memory_order_relaxed);
  watch_.saw(Step::set_aside, header);
  auto& early = resident.rare().early;
  if (!early.emplace(std::pair(header.origin, header.sequence), call).second) {
    delete call;  // a duplicate, which a transport with A1 never delivers
    return;
  }
  count_early(1);
}

[[gnu::noinline]] void Residents::take_in_early(Resident& resident, std::int32_t origin,
                                                std::uint32_t& expected) {
  auto& early = resident.rare().early;
  for (auto next = early.find({origin, expected}); next != early.end();
       next = early.find({origin, expected})) {
    ++expected;
    take_in(resident, next->second);
    early.erase(next);
    count_early(-1);
  }
}

}  // namespace roam::mobile
