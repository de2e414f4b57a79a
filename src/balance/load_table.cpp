// SPDX-License-Identifier: Apache-2.0
#include "roam/balance/detail/load_table.hpp"

#include <algorithm>
#include <limits>
#include <mutex>

#include "roam/exec/context.hpp"

namespace roam::balance {

namespace {

// Weight of earlier measurements when a call has ended, so that the moving average of seconds per
// weight extends over about 64 calls. Chosen.
constexpr double memory_of_rate = 1.0 - 1.0 / 64;

constexpr std::uint64_t last_tie = std::numeric_limits<std::uint64_t>::max();

// The part of a run that is left, if it takes as long as estimated.
double fraction_left(double estimate, double elapsed) {
  return estimate <= elapsed ? 0 : (estimate - elapsed) / estimate;
}

}  // namespace

LoadTable::LoadTable(WorkerIndex workers, Source& source, Rank rank)
    : workers_(workers),
      source_(source),
      rank_(rank),
      updates_(std::make_unique<Updates[]>(workers + 1)) {}

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
  const double in_all = own.measured_seconds.load(std::memory_order_relaxed);
  const double weights = own.measured_weight.load(std::memory_order_relaxed);
  if (run_seconds > Interruptions::shortest && weights > 0)
    run_seconds = Interruptions::counted(run_seconds, weight * in_all / weights);
  own.measured_seconds.store(in_all * memory_of_rate + run_seconds, std::memory_order_relaxed);
  own.measured_weight.store(weights * memory_of_rate + weight, std::memory_order_relaxed);
}

double LoadTable::seconds_per_weight() const {
  double measured_seconds = 0;
  double measured_weight = 0;
  for (WorkerIndex w = 0; w <= workers_; ++w) {
    measured_seconds += updates_[w].measured_seconds.load(std::memory_order_relaxed);
    measured_weight += updates_[w].measured_weight.load(std::memory_order_relaxed);
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
    seconds = weight = 0;  // removes rounding errors
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
  growth_.waits(new_.objects, new_of_here_, !running_.empty());
}

void LoadTable::update(ObjectId id) {
  const std::optional<mobile::LoadFacts> facts = source_.take(id);
  if (!facts) {
    const auto known = entries_.find(id);
    const bool has_begun = known != entries_.end() && known->second.is_known_to_have_begun;
    if (!has_begun && id.home() == rank_) growth_.began();
    if (known == entries_.end()) return;
    uncount(id, known->second);
    take_out_of_order(known->second);
    entries_.erase(known);
    return;
  }
  Entry& entry = entries_[id];
  uncount(id, entry);
  read(id, *facts, entry);
  count(id, entry);
  if (entry.has_begun() && !entry.is_known_to_have_begun) {
    entry.is_known_to_have_begun = true;
    if (id.home() == rank_ && entry.moves == 0) growth_.began();
  }
  if (entry.is_to_be_ordered) return;
  entry.is_to_be_ordered = true;
  unordered_.push_back(id);
  // Objects may come and go without any query.
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
      // The model gives one number for the whole object; its calls are taken to be alike.
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
    if (!entry.is_new()) return;
    new_.add(entry);
    if (id.home() == rank_) ++new_of_here_;
  }
}

void LoadTable::uncount(ObjectId id, const Entry& entry) {
  if (entry.is_running()) {
    const ObjectId last = running_.back();
    running_[entry.running_at] = last;
    entries_.at(last).running_at = entry.running_at;
    running_.pop_back();
    running_sums_.subtract(entry);
  } else if (entry.is_queued()) {
    queued_.subtract(entry);
    if (!entry.is_new()) return;
    new_.subtract(entry);
    if (id.home() == rank_) --new_of_here_;
  }
}

void LoadTable::order(double rate) {
  order_by_age();
  for (const ObjectId id : unordered_) {
    const auto found = entries_.find(id);
    if (found == entries_.end()) continue;
    Entry& entry = found->second;
    take_out_of_order(entry);
    entry.is_to_be_ordered = false;
    if (!entry.is_queued()) continue;
    const bool is_by_weight = entry.weight > 0;
    entry.is_ordered = true;
    entry.order = static_cast<std::uint8_t>((is_by_weight ? by_weight : 0) |
                                            (entry.is_new() ? of_new_objects : 0));
    entry.key = {is_by_weight ? entry.weight + entry.seconds / rate : entry.seconds,
                 tie(id, entry.order)};
    orders_[entry.order].insert(entry.key);
  }
  unordered_.clear();
}

/// Decides the order of new objects of equal size. If new objects are created and run ahead of
/// those that wait, the oldest will create most; otherwise the oldest run next, and the newest can
/// be given away.
void LoadTable::order_by_age() {
  const bool is_oldest_first = growth_.times() > 1;
  if (is_oldest_first == is_oldest_first_) return;
  for (std::uint8_t i = of_new_objects; i < order_count; ++i) {
    for (const Key& key : orders_[i]) {
      const ObjectId id = object_of(key, i);
      Entry& entry = entries_.at(id);
      entry.is_ordered = false;
      if (!std::exchange(entry.is_to_be_ordered, true)) unordered_.push_back(id);
    }
    orders_[i].clear();
  }
  is_oldest_first_ = is_oldest_first;
}

std::uint64_t LoadTable::tie(ObjectId id, std::uint8_t order) const {
  return order >= of_new_objects && is_oldest_first_ ? ~id.value() : id.value();
}

ObjectId LoadTable::object_of(const Key& key, std::uint8_t order) const {
  return ObjectId(order >= of_new_objects && is_oldest_first_ ? ~key.second : key.second);
}

void LoadTable::take_out_of_order(Entry& entry) {
  if (!std::exchange(entry.is_ordered, false)) return;
  orders_[entry.order].erase(entry.key);
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
  load.growth = growth_.times();
  load.queued = queued_.objects;
  load.queued_seconds = queued_.seconds + (load.growth - 1) * new_.seconds;
  load.queued_weight = queued_.weight + (load.growth - 1) * new_.weight;
  load.running = running_sums_.objects;
  load.seconds = load.queued_seconds + running_sums_.seconds;
  load.weight = load.queued_weight + running_sums_.weight;
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
  // Rounding must not make a load negative, since peers check loads.
  for (double* value : {&load.seconds, &load.weight, &load.queued_seconds, &load.queued_weight}) {
    *value = std::max(0.0, *value);
  }
  if (load.running >= workers_) load.first_free_seconds = first_free;
  load.was_interrupted = interruptions_.was_just(now) ? 1 : 0;
  return load;
}

void LoadTable::came_from(const RankLoad& giver) {
  refresh();
  growth_.came(giver.growth);
}

/// Describes an object for a visit; none if a handler has begun to run on it since it was sorted.
std::optional<ObjectLoad> LoadTable::describe(ObjectId id, double rate) const {
  const Entry& entry = entries_.at(id);
  if (!entry.is_queued()) return std::nullopt;
  const double times = entry.is_new() ? growth_.times() : 1;
  return ObjectLoad{id,
                    times * (entry.seconds + rate * entry.weight),
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

// The visitor may ask for loads, which may change the orders; therefore the next object is looked
// up by the key of the last one.
void LoadTable::visit_from(double limit, double rate, Direction direction,
                           const std::function<bool(const ObjectLoad&)>& visit) {
  refresh();
  order(this->rate());
  std::array<double, order_count> scales{};
  std::array<Key, order_count> at{};
  for (std::uint8_t i = 0; i < order_count; ++i) {
    scales[i] = ((i & by_weight) != 0 ? rate : 1) * (i >= of_new_objects ? growth_.times() : 1);
    at[i] = {limit / scales[i], last_tie};
  }
  const bool up = direction == Direction::up;
  while (true) {
    std::optional<Key> next;
    double size = 0;
    std::uint8_t of = 0;
    for (std::uint8_t i = 0; i < order_count; ++i) {
      const std::optional<Key> key = next_in(orders_[i], at[i], direction);
      if (!key) continue;
      const double of_this = key->first * scales[i];
      if (next && (up ? of_this >= size : of_this <= size)) continue;
      next = key;
      size = of_this;
      of = i;
    }
    if (!next) return;
    at[of] = *next;
    const auto load = describe(object_of(*next, of), rate);
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
  std::size_t count = 0;
  for (const Order& one : orders_) count += one.size();
  return count;
}

}  // namespace roam::balance
