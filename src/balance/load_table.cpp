// SPDX-License-Identifier: Apache-2.0
#include "roam/balance/load_table.hpp"

#include <limits>
#include <mutex>

#include "roam/exec/context.hpp"

namespace roam::balance {

namespace {

// The moving average of seconds per weight looks back over about this many calls.
constexpr double memory_of_rate = 1.0 - 1.0 / 64;

// What is left of a run by its estimate, as a fraction.
double fraction_left(double estimate, double elapsed) {
  return estimate <= elapsed ? 0 : (estimate - elapsed) / estimate;
}

}  // namespace

LoadTable::LoadTable(WorkerIndex workers, std::size_t shards)
    : workers_(workers), mask_(shards - 1), shards_(std::make_unique<Shard[]>(shards)) {}

void LoadTable::count(Shard& shard, const Entry& entry, int sign) {
  if (entry.pending_calls == 0) return;
  Sums& sums = entry.running > 0 ? shard.running : shard.queued;
  sums.objects = sign > 0 ? sums.objects + 1 : sums.objects - 1;
  if (sums.objects == 0) {
    sums = {};  // no rounding errors left behind
    return;
  }
  sums.seconds += sign * entry.seconds;
  sums.weight += sign * entry.weight;
}

void LoadTable::mark(Shard& shard, ObjectId id, Entry& entry) {
  if (entry.is_dirty || shard.all_dirty) return;
  entry.is_dirty = true;
  shard.dirty.push_back(id);
  // Objects that come and go while nobody asks.
  if (shard.dirty.size() > 2 * shard.entries.size() + 1024) {
    shard.dirty = {};
    shard.all_dirty = true;
  }
}

void LoadTable::end_run(Shard& shard, ObjectId id) {
  for (Run& run : shard.runs) {
    if (run.object != id) continue;
    run = shard.runs.back();
    shard.runs.pop_back();
    return;
  }
}

void LoadTable::notify(ObjectId id, const mobile::Record& record,
                       mobile::LoadListener::Change change) {
  Shard& shard = this->shard(id);
  const std::lock_guard guard(shard.lock);
  Entry& entry = shard.entries[id];
  count(shard, entry, -1);
  mark(shard, id, entry);
  if (record.pending_calls < entry.pending_calls && entry.running > 0) {
    end_run(shard, id);
    --entry.running;
  }
  if (change == mobile::LoadListener::Change::left) {
    for (; entry.running > 0; --entry.running) end_run(shard, id);
    shard.entries.erase(id);
    return;
  }
  entry.pending_calls = record.pending_calls;
  entry.seconds = record.pending_calls == 0 ? 0 : record.pending_seconds;
  entry.weight = record.pending_calls == 0 ? 0 : record.pending_weight;
  if (model_ && record.pending_calls > 0) {
    if (const double modelled = model_(id, record); modelled >= 0) {
      entry.seconds = modelled;
      entry.weight = 0;
    }
  }
  entry.moves = record.moves;
  entry.bytes = record.packed_bytes;
  entry.run_seconds = record.phase_seconds;
  entry.arrived_ns = record.last_move_ns;
  count(shard, entry, 1);
}

void LoadTable::started(ObjectId id, double cost_seconds, double weight, Instant now) {
  Shard& shard = this->shard(id);
  const std::lock_guard guard(shard.lock);
  const auto found = shard.entries.find(id);
  if (found == shard.entries.end()) return;
  Entry& entry = found->second;
  count(shard, entry, -1);
  mark(shard, id, entry);
  // A model speaks for the whole object; its calls are taken to be alike.
  if (entry.weight <= 0 && cost_seconds < 0) cost_seconds = entry.seconds / entry.pending_calls;
  ++entry.running;
  shard.runs.push_back({id, cost_seconds, weight, now});
  count(shard, entry, 1);
}

void LoadTable::measured(double weight, double run_seconds) {
  const exec::Context* context = exec::current();
  Shard& shard = shards_[context == nullptr ? 0 : context->slot & mask_];
  const std::lock_guard guard(shard.lock);
  shard.measured_seconds = shard.measured_seconds * memory_of_rate + run_seconds;
  shard.measured_weight = shard.measured_weight * memory_of_rate + weight;
}

double LoadTable::seconds_per_weight() const {
  double measured_seconds = 0;
  double measured_weight = 0;
  for (std::size_t i = 0; i <= mask_; ++i) {
    const std::lock_guard guard(shards_[i].lock);
    measured_seconds += shards_[i].measured_seconds;
    measured_weight += shards_[i].measured_weight;
  }
  return measured_weight > 0 ? measured_seconds / measured_weight : 0;
}

double LoadTable::rate() const {
  const double measured = seconds_per_weight();
  return measured > 0 ? measured : default_seconds_per_weight;
}

RankLoad LoadTable::load(Instant now) const {
  RankLoad load;
  load.workers = workers_;
  load.seconds_per_weight = seconds_per_weight();
  const double rate = load.rate();
  double first_free = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i <= mask_; ++i) {
    const Shard& shard = shards_[i];
    const std::lock_guard guard(shard.lock);
    load.queued += shard.queued.objects;
    load.queued_seconds += shard.queued.seconds;
    load.queued_weight += shard.queued.weight;
    load.running += shard.running.objects;
    load.seconds += shard.queued.seconds + shard.running.seconds;
    load.weight += shard.queued.weight + shard.running.weight;
    for (const Run& run : shard.runs) {
      const double estimate = run.seconds >= 0 ? run.seconds : rate * run.weight;
      const double left = fraction_left(estimate, seconds(now - run.begin));
      first_free = std::min(first_free, left * estimate);
      if (run.seconds >= 0) {
        load.seconds -= (1 - left) * run.seconds;
      } else {
        load.weight -= (1 - left) * run.weight;
      }
    }
  }
  // Rounding must not make a load negative: peers check.
  for (double* value : {&load.seconds, &load.weight, &load.queued_seconds, &load.queued_weight}) {
    *value = std::max(0.0, *value);
  }
  if (load.running >= workers_) load.first_free_seconds = first_free;
  return load;
}

void LoadTable::index(ObjectId id, const Entry* entry, double rate) {
  const auto known = index_.keys.find(id);
  if (known != index_.keys.end()) {
    const auto [is_weight, key] = known->second;
    (is_weight ? index_.by_weight : index_.by_seconds).erase({key, id});
    index_.keys.erase(known);
  }
  if (entry == nullptr || !entry->is_queued()) return;
  const bool is_weight = entry->weight > 0;
  const double key = is_weight ? entry->weight + entry->seconds / rate : entry->seconds;
  (is_weight ? index_.by_weight : index_.by_seconds).insert({key, id});
  index_.keys.emplace(id, std::pair(is_weight, key));
}

void LoadTable::refresh_index() {
  const double rate = this->rate();
  for (std::size_t i = 0; i <= mask_; ++i) {
    Shard& shard = shards_[i];
    const std::lock_guard guard(shard.lock);
    if (shard.all_dirty) {
      std::vector<ObjectId> gone;
      for (const auto& [id, key] : index_.keys) {
        if (&this->shard(id) == &shard && !shard.entries.contains(id)) gone.push_back(id);
      }
      for (const ObjectId id : gone) index(id, nullptr, rate);
      for (auto& [id, entry] : shard.entries) {
        index(id, &entry, rate);
        entry.is_dirty = false;
      }
      shard.all_dirty = false;
    }
    for (const ObjectId id : shard.dirty) {
      const auto found = shard.entries.find(id);
      const bool is_here = found != shard.entries.end();
      index(id, is_here ? &found->second : nullptr, rate);
      if (is_here) found->second.is_dirty = false;
    }
    shard.dirty.clear();
  }
}

bool LoadTable::describe(ObjectId id, double rate, ObjectLoad& load) const {
  const Shard& shard = this->shard(id);
  const std::lock_guard guard(shard.lock);
  const auto found = shard.entries.find(id);
  if (found == shard.entries.end() || !found->second.is_queued()) return false;
  const Entry& entry = found->second;
  load = {id,
          entry.seconds + rate * entry.weight,
          entry.bytes,
          entry.moves,
          entry.arrived_ns,
          entry.run_seconds};
  return true;
}

void LoadTable::for_each_movable(double limit, double rate,
                                 const std::function<bool(const ObjectLoad&)>& visit) {
  refresh_index();
  const ObjectId last(std::numeric_limits<std::uint64_t>::max());
  auto in_seconds = index_.by_seconds.upper_bound({limit, last});
  auto in_weight = index_.by_weight.upper_bound({limit / rate, last});
  while (in_seconds != index_.by_seconds.begin() || in_weight != index_.by_weight.begin()) {
    const bool take_weight = in_weight != index_.by_weight.begin() &&
                             (in_seconds == index_.by_seconds.begin() ||
                              std::prev(in_weight)->first * rate > std::prev(in_seconds)->first);
    const ObjectId id = take_weight ? (--in_weight)->second : (--in_seconds)->second;
    ObjectLoad load;
    if (describe(id, rate, load) && !visit(load)) return;
  }
}

void LoadTable::for_each_movable_above(double limit, double rate,
                                       const std::function<bool(const ObjectLoad&)>& visit) {
  refresh_index();
  const ObjectId last(std::numeric_limits<std::uint64_t>::max());
  auto in_seconds = index_.by_seconds.upper_bound({limit, last});
  auto in_weight = index_.by_weight.upper_bound({limit / rate, last});
  while (in_seconds != index_.by_seconds.end() || in_weight != index_.by_weight.end()) {
    const bool take_weight =
        in_weight != index_.by_weight.end() &&
        (in_seconds == index_.by_seconds.end() || in_weight->first * rate < in_seconds->first);
    const ObjectId id = take_weight ? (in_weight++)->second : (in_seconds++)->second;
    ObjectLoad load;
    if (describe(id, rate, load) && !visit(load)) return;
  }
}

std::size_t LoadTable::movable_count() {
  refresh_index();
  return index_.keys.size();
}

}  // namespace roam::balance
