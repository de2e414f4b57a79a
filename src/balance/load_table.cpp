// SPDX-License-Identifier: Apache-2.0
#include "roam/balance/load_table.hpp"

#include <algorithm>
#include <limits>
#include <mutex>

#include "roam/exec/context.hpp"

namespace roam::balance {

namespace {

// Weight of what is known when a call has ended: the moving average of seconds per weight looks
// back over about 64 calls. Chosen.
constexpr double memory_of_rate = 1.0 - 1.0 / 64;
constexpr auto relaxed = std::memory_order_relaxed;

constexpr ObjectId last_object(std::numeric_limits<std::uint64_t>::max());

// What is left of a run by its estimate, as a fraction.
double fraction_left(double estimate, double elapsed) {
  return estimate <= elapsed ? 0 : (estimate - elapsed) / estimate;
}

}  // namespace

LoadTable::LoadTable(WorkerIndex workers, Source& source)
    : workers_(workers), source_(source), updates_(std::make_unique<Updates[]>(workers + 1)) {}

LoadTable::Updates& LoadTable::own_updates() const {
  const exec::Context* const context = exec::current();
  return updates_[context == nullptr ? workers_ : std::min(context->slot, workers_)];
}

void LoadTable::changed(ObjectId id) {
  Updates& own = own_updates();
  const std::lock_guard guard(own.lock);
  own.listed.push_back(id);
}

void LoadTable::measured(double weight, double run_seconds) {
  Updates& own = own_updates();
  const double in_all = own.measured_seconds.load(relaxed);
  const double weights = own.measured_weight.load(relaxed);
  if (run_seconds > Interruptions::shortest && weights > 0)
    run_seconds = Interruptions::counted(run_seconds, weight * in_all / weights);
  own.measured_seconds.store(in_all * memory_of_rate + run_seconds, relaxed);
  own.measured_weight.store(weights * memory_of_rate + weight, relaxed);
}

double LoadTable::seconds_per_weight() const {
  double measured_seconds = 0;
  double measured_weight = 0;
  for (WorkerIndex w = 0; w <= workers_; ++w) {
    measured_seconds += updates_[w].measured_seconds.load(relaxed);
    measured_weight += updates_[w].measured_weight.load(relaxed);
  }
  return measured_weight > 0 ? measured_seconds / measured_weight : 0;
}

double LoadTable::rate() const {
  const double measured = seconds_per_weight();
  return measured > 0 ? measured : default_seconds_per_weight;
}

void LoadTable::Sums::add(const Entry& entry) {
  ++objects;
  seconds += entry.seconds;
  weight += entry.weight;
}

void LoadTable::Sums::subtract(const Entry& entry) {
  if (--objects == 0) {
    seconds = weight = 0;  // no rounding errors left behind
    return;
  }
  seconds -= entry.seconds;
  weight -= entry.weight;
}

void LoadTable::refresh() {
  for (WorkerIndex w = 0; w <= workers_; ++w) {
    {
      const std::lock_guard guard(updates_[w].lock);
      taken_.swap(updates_[w].listed);
    }
    for (const ObjectId id : taken_) update(id);
    taken_.clear();
  }
}

void LoadTable::update(ObjectId id) {
  const std::optional<mobile::LoadFacts> facts = source_.take(id);
  if (!facts) {
    const auto known = entries_.find(id);
    if (known == entries_.end()) return;
    uncount(known->second);
    take_out_of_order(id, known->second);
    entries_.erase(known);
    return;
  }
  Entry& entry = entries_[id];
  uncount(entry);
  read(id, *facts, entry);
  count(id, entry);
  if (entry.is_to_be_ordered) return;
  entry.is_to_be_ordered = true;
  unordered_.push_back(id);
  // Objects that come and go while nobody asks.
  if (unordered_.size() > 2 * entries_.size() + 1024) shorten_unordered();
}

void LoadTable::read(ObjectId id, const mobile::LoadFacts& facts, Entry& entry) const {
  const mobile::Record& record = facts.record;
  entry.pending_calls = record.pending_calls;
  entry.seconds = record.pending_seconds;
  entry.weight = record.pending_weight;
  entry.activity = facts.activity;
  if (model_ && record.pending_calls > 0) {
    if (const double modelled = model_(id, record); modelled >= 0) {
      entry.seconds = modelled;
      entry.weight = 0;
      // It speaks for the whole object; its calls are taken to be alike.
      entry.activity.seconds =
          static_cast<float>(modelled * entry.activity.running / record.pending_calls);
      entry.activity.weight = 0;
    }
  }
  entry.moves = record.moves;
  entry.bytes = record.packed_bytes;
  entry.arrived_ns = record.last_move_ns;
  entry.run_seconds = record.phase_seconds;
  entry.has_run = record.phase_seconds > 0 || record.has_run != 0;
}

void LoadTable::count(ObjectId id, Entry& entry) {
  if (entry.is_running()) {
    entry.running_at = static_cast<std::uint32_t>(running_.size());
    running_.push_back(id);
    running_sums_.add(entry);
  } else if (entry.is_queued()) {
    queued_.add(entry);
  }
}

void LoadTable::uncount(const Entry& entry) {
  if (entry.is_running()) {
    const ObjectId last = running_.back();
    running_[entry.running_at] = last;
    entries_.at(last).running_at = entry.running_at;
    running_.pop_back();
    running_sums_.subtract(entry);
  } else if (entry.is_queued()) {
    queued_.subtract(entry);
  }
}

void LoadTable::order(double rate) {
  for (const ObjectId id : unordered_) {
    const auto found = entries_.find(id);
    if (found == entries_.end()) continue;
    Entry& entry = found->second;
    take_out_of_order(id, entry);
    entry.is_to_be_ordered = false;
    if (!entry.is_queued()) continue;
    const bool is_by_weight = entry.weight > 0;
    entry.order = is_by_weight ? Entry::In::by_weight : Entry::In::by_seconds;
    entry.key = is_by_weight ? entry.weight + entry.seconds / rate : entry.seconds;
    (is_by_weight ? by_weight_ : by_seconds_).emplace(entry.key, id);
  }
  unordered_.clear();
}

void LoadTable::take_out_of_order(ObjectId id, Entry& entry) {
  if (entry.order == Entry::In::none) return;
  (entry.order == Entry::In::by_weight ? by_weight_ : by_seconds_).erase({entry.key, id});
  entry.order = Entry::In::none;
}

void LoadTable::shorten_unordered() {
  std::ranges::sort(unordered_);
  unordered_.erase(std::unique(unordered_.begin(), unordered_.end()), unordered_.end());
  std::erase_if(unordered_, [this](ObjectId id) { return !entries_.contains(id); });
}

RankLoad LoadTable::load(Instant now) {
  refresh();
  RankLoad load;
  load.workers = workers_;
  load.seconds_per_weight = seconds_per_weight();
  load.queued = queued_.objects;
  load.queued_seconds = queued_.seconds;
  load.queued_weight = queued_.weight;
  load.running = running_sums_.objects;
  load.seconds = queued_.seconds + running_sums_.seconds;
  load.weight = queued_.weight + running_sums_.weight;
  const double rate = load.rate();
  double first_free = std::numeric_limits<double>::infinity();
  for (const ObjectId id : running_) {
    const mobile::Activity& runs = entries_.at(id).activity;
    const double estimate = (double{runs.seconds} + rate * double{runs.weight}) / runs.running;
    const double taken = seconds(now - runs.since);
    interruptions_.watch(taken, estimate, now);
    const double left = fraction_left(estimate, taken);
    first_free = std::min(first_free, left * estimate);
    load.seconds -= (1 - left) * double{runs.seconds};
    load.weight -= (1 - left) * double{runs.weight};
  }
  // Rounding must not make a load negative: peers check.
  for (double* value : {&load.seconds, &load.weight, &load.queued_seconds, &load.queued_weight}) {
    *value = std::max(0.0, *value);
  }
  if (load.running >= workers_) load.first_free_seconds = first_free;
  load.was_interrupted = interruptions_.was_just(now) ? 1 : 0;
  return load;
}

/// None if a handler has begun to run on it since it was put in order.
std::optional<ObjectLoad> LoadTable::describe(ObjectId id, double rate) const {
  const Entry& entry = entries_.at(id);
  if (!entry.is_queued()) return std::nullopt;
  return ObjectLoad{id,
                    entry.seconds + rate * entry.weight,
                    entry.bytes,
                    entry.moves,
                    entry.arrived_ns,
                    entry.run_seconds,
                    entry.has_run};
}

std::optional<LoadTable::Key> LoadTable::next_in(const Order& order, const Key& key,
                                                 Direction direction) {
  if (direction == Direction::up) {
    const auto above = order.upper_bound(key);
    return above == order.end() ? std::nullopt : std::optional(*above);
  }
  const auto not_below = order.lower_bound(key);
  return not_below == order.begin() ? std::nullopt : std::optional(*std::prev(not_below));
}

// Whoever is shown an object may ask for loads, which may change the orders: what is next is found
// anew from the keys of those before.
void LoadTable::visit_from(double limit, double rate, Direction direction,
                           const std::function<bool(const ObjectLoad&)>& visit) {
  refresh();
  order(this->rate());
  Key in_seconds{limit, last_object};
  Key in_weight{limit / rate, last_object};
  while (true) {
    const std::optional<Key> seconds = next_in(by_seconds_, in_seconds, direction);
    const std::optional<Key> weight = next_in(by_weight_, in_weight, direction);
    if (!seconds && !weight) return;
    const bool up = direction == Direction::up;
    const bool takes_weight = weight && (!seconds || (up ? weight->first * rate < seconds->first
                                                         : weight->first * rate > seconds->first));
    (takes_weight ? in_weight : in_seconds) = takes_weight ? *weight : *seconds;
    const auto load = describe((takes_weight ? in_weight : in_seconds).second, rate);
    if (load && !visit(*load)) return;
  }
}

void LoadTable::for_each_movable(double limit, double rate,
                                 const std::function<bool(const ObjectLoad&)>& visit) {
  visit_from(limit, rate, Direction::down, visit);
}

void LoadTable::for_each_movable_above(double limit, double rate,
                                       const std::function<bool(const ObjectLoad&)>& visit) {
  visit_from(limit, rate, Direction::up, visit);
}

std::size_t LoadTable::movable_count() {
  refresh();
  order(rate());
  return by_seconds_.size() + by_weight_.size();
}

}  // namespace roam::balance
