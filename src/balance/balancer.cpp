// SPDX-License-Identifier: Apache-2.0
#include "roam/balance/detail/balancer.hpp"

#include <algorithm>
#include <mutex>

#include "overlapping_moves.hpp"
#include "policies/timed.hpp"
#include "roam/balance/registry.hpp"

namespace roam::balance {

namespace {

// Least time between two calls of the policy, so that virtual time does not stand still. Chosen:
// less than any operation takes.
constexpr Duration shortest_wait = std::chrono::nanoseconds(100);
// Seconds that threads and processes may differ in their start. Chosen; without it blocks of a
// balanced stencil move in the first milliseconds (studies/stencil_overhead).
constexpr double longest_start = 0.01;
}  // namespace

/// Lets the engine use a policy's push and pop as its scheduler.
class Balancer::PolicyScheduler final : public exec::Scheduler {
 public:
  explicit PolicyScheduler(Policy& policy) : policy_(policy) {}
  void push(WorkerIndex worker, exec::ReadyItem* item) override { policy_.push(worker, item); }
  [[nodiscard]] exec::ReadyItem* pop(WorkerIndex worker) override { return policy_.pop(worker); }

 private:
  Policy& policy_;
};

Balancer::Balancer(mobile::ObjectSpace& space, const BalancerOptions& options)
    : space_(space),
      name_(options.choice.name),
      random_(options.seed ^
              (static_cast<std::uint64_t>(space.rank().value()) * 0xd1b54a32d192ed03ULL)),
      table_(space.engine().workers(), *this, space.rank()),
      models_(space, options.load_models),
      is_real_time_(!space.engine().clock().is_virtual()),
      policy_(make_policy_of(options)) {
  space.engine().services().set<Balancer>(this);
  // Moves by a strategy are logged as well.
  if (policy_ != nullptr || !names_a_policy(options.choice)) {
    space.add_migration_listener(
        [this](const mobile::MigrationOutcome& outcome) { migration_ended(outcome); });
  }
  if (policy_ == nullptr) return;
  if (policy_->schedules()) {
    space.engine().set_scheduler(std::make_unique<PolicyScheduler>(*policy_));
  }
  space.messenger().bind<&Balancer::on_message>(*this);
  space.set_load_listener(this);
  space.engine().add_poller(this);
}

Balancer::~Balancer() = default;

std::unique_ptr<Policy> Balancer::make_policy_of(const BalancerOptions& options) {
  if (options.phase_length_seconds <= 0) return make_policy(options.choice, *this);
  check_phase_length(options.choice, options.phase_length_seconds);
  const TimedRank rank{space_,        models_,         pending_model_,  enabled_,
                       options.speed, options.network, options.location};
  PolicyHost& host = *this;
  return std::make_unique<TimedStrategy>(options.choice, options.phase_length_seconds, host, rank);
}

void Balancer::enable(bool enabled) {
  enabled_.store(enabled, std::memory_order_relaxed);
  hurry();
}

// The flag is mostly set already; not writing it again leaves the cache line shared among the
// workers.
void Balancer::touch() {
  if (was_empty_.load(std::memory_order_relaxed)) return hurry();
  if (!touched_.load(std::memory_order_relaxed)) touched_.store(true, std::memory_order_release);
}

void Balancer::hurry() {
  if (!hurries_.load(std::memory_order_relaxed)) hurries_.store(true, std::memory_order_relaxed);
  if (!touched_.load(std::memory_order_relaxed)) touched_.store(true, std::memory_order_release);
}

/// A rank with work for all its workers looks at its loads only now and then: changes, and times
/// named by a policy, can wait until then.
Instant Balancer::next_due() const {
  const Instant due(due_.load(std::memory_order_relaxed));
  const bool touched = touched_.load(std::memory_order_acquire);
  if (hurries_.load(std::memory_order_relaxed) ||
      space_.engine().unfinished() < space_.engine().workers()) {
    return touched ? Instant(0) : due;
  }
  const Instant by_time = std::max(due, pace_.next_by_time());
  return touched ? std::min(by_time, pace_.next_by_change()) : by_time;
}

std::size_t Balancer::poll(Instant now) {
  if (is_real_time_) table_.made_progress(now);
  const bool may_be_due = touched_.load(std::memory_order_relaxed) ||
                          now >= Instant(due_.load(std::memory_order_relaxed));
  if (!may_be_due || now < next_due()) return 0;
  hurries_.store(false, std::memory_order_relaxed);
  touched_.exchange(false, std::memory_order_acquire);
  if (!enabled()) {
    due_.store(never.count(), std::memory_order_relaxed);
    return 0;
  }
  const RankLoad load = table_.load(now);
  was_empty_.store(load.running + load.queued == 0, std::memory_order_relaxed);
  cycles_.watch(load, now);
  if (has_changed_hands_.exchange(false, std::memory_order_relaxed)) cycles_.begin_observation();
  std::uint64_t before = 0;
  {
    const std::lock_guard guard(lock_);
    ++stats_.triggers;
    before = stats_.messages_sent;
  }
  // Later than now, or virtual time would stand still.
  const Instant due = std::max(policy_->balance(now), now + shortest_wait);
  pace_.looked(now, this->now() - now);
  due_.store(due.count(), std::memory_order_relaxed);
  const std::lock_guard guard(lock_);
  return stats_.messages_sent - before;
}

void Balancer::notify(ObjectId id, const mobile::Record& record, mobile::Activity& activity,
                      Change change) {
  activity.is_told = true;
  table_.changed(id);
  // Created objects do not count: a program that creates objects all the time must still be
  // observed.
  const bool has_moved = change == Change::left || (change == Change::arrived && record.moves > 0);
  if (has_moved) has_changed_hands_.store(true, std::memory_order_relaxed);
  policy_->notify(id, record, change);
  touch();
}

void Balancer::measured(std::uint32_t handler, double weight, double run_seconds,
                        mobile::Record& record) {
  table_.measured(weight, run_seconds);
  handler_costs_.measured(handler, weight, run_seconds, record);
}

void Balancer::send(Rank to, core::Packer&& message) {
  {
    const std::lock_guard guard(lock_);
    ++stats_.messages_sent;
    stats_.bytes_sent += message.size();
  }
  space_.messenger().post(to, am::Outgoing<PolicyMessage>::resumed(std::move(message)));
}

void Balancer::on_message(const PolicyMessage&, am::Incoming&& message) {
  policy_->receive(message.source, message.payload());
  hurry();
}

RankLoad Balancer::load() {
  const Instant now = this->now();
  RankLoad load = table_.load(now);
  cycles_.describe(load, now);
  load.phase_seconds = seconds(now - space_.load_phase_began());
  if (enabled()) return load;
  // Its peers and its own policy see a rank that neither has work to give nor takes any.
  RankLoad closed;
  closed.workers = load.workers;
  closed.running = load.workers;
  closed.seconds_per_weight = load.seconds_per_weight;
  closed.first_free_seconds = 1e9;
  return closed;
}

void Balancer::for_each_movable(double limit, double rate,
                                const std::function<bool(const ObjectLoad&)>& visit) {
  if (!enabled()) return;
  table_.for_each_movable(limit, rate, [&](const ObjectLoad& load) {
    return is_unmovable(load.object) || visit(with_bytes(load));
  });
}

void Balancer::for_each_movable_above(double limit, double rate,
                                      const std::function<bool(const ObjectLoad&)>& visit) {
  if (!enabled()) return;
  table_.for_each_movable_above(limit, rate, [&](const ObjectLoad& load) {
    return is_unmovable(load.object) || visit(with_bytes(load));
  });
}

/// True if no rank can rebuild the object: policies do not see it.
bool Balancer::is_unmovable(ObjectId id) const {
  if (!has_unmovable_.load(std::memory_order_relaxed)) return false;
  const std::lock_guard guard(lock_);
  return unmovable_.contains(id);
}

/// Adds the size. An object that has never moved may be large: its first move must not look cheap
/// (B3).
ObjectLoad Balancer::with_bytes(const ObjectLoad& load) {
  ObjectLoad known = load;
  if (known.bytes != 0) return known;
  known.bytes = space_.packed_bytes(load.object);
  if (known.bytes == 0) return known;
  const std::lock_guard guard(lock_);
  costs_.add_size(known.bytes);
  return known;
}

double Balancer::move_seconds(std::uint64_t bytes) const {
  const std::lock_guard guard(lock_);
  return costs_.move_seconds(bytes);
}

double Balancer::extra_move_seconds(std::uint64_t bytes) const {
  const std::lock_guard guard(lock_);
  return costs_.extra_seconds(bytes);
}

double Balancer::round_trip_seconds() const {
  const std::lock_guard guard(lock_);
  return costs_.round_trip_seconds();
}

void Balancer::answered_after(double seconds) {
  const std::lock_guard guard(lock_);
  costs_.add_round_trip(seconds);
}

void Balancer::came_from(const RankLoad& giver) { table_.came_from(giver); }

double Balancer::start_up_seconds() const { return is_real_time_ ? longest_start : 0; }

bool Balancer::migrate(Decision decision) {
  const ObjectId id = decision.object;
  const Rank to = decision.to;
  {
    const std::lock_guard guard(lock_);
    if (unmovable_.contains(id)) return false;
    log(std::move(decision));
  }
  // The answer may come from within this call, so the lock must not be held.
  if (space_.migrate_idle(id, to)) return true;
  const std::lock_guard guard(lock_);
  note_busy(id);
  return false;
}

std::vector<ObjectId> Balancer::migrate_together(std::vector<Decision> decisions) {
  if (decisions.empty()) return {};
  const Rank to = decisions.front().to;
  std::vector<ObjectId> objects;
  std::vector<ObjectId> unmovable;
  {
    const std::lock_guard guard(lock_);
    for (Decision& decision : decisions) {
      if (unmovable_.contains(decision.object)) {
        unmovable.push_back(decision.object);
        continue;
      }
      objects.push_back(decision.object);
      log(std::move(decision));
    }
  }
  std::vector<ObjectId> stay = space_.migrate_idle(objects, to);
  const std::lock_guard guard(lock_);
  for (const ObjectId object : stay) note_busy(object);
  stay.insert(stay.end(), unmovable.begin(), unmovable.end());
  return stay;
}

void Balancer::log(Decision&& decision) {
  ++stats_.migrations_started;
  if (decisions_.size() == most_decisions) return;
  decision.when = now();
  decision.from = rank();
  decision.outcome = Decision::Outcome::under_way;
  under_way_[decision.object] = decisions_.size();
  decisions_.push_back(std::move(decision));
}

void Balancer::note_busy(ObjectId object) {
  --stats_.migrations_started;
  const auto found = under_way_.find(object);
  if (found == under_way_.end()) return;
  decisions_[found->second].outcome = Decision::Outcome::busy;
  under_way_.erase(found);
}

void Balancer::gave_nothing(double gain_seconds, double cost_seconds) {
  const std::lock_guard guard(lock_);
  ++stats_.refused_requests;
  if (gain_seconds <= stats_.refused_gain_seconds && stats_.refused_requests > 1) return;
  stats_.refused_gain_seconds = gain_seconds;
  stats_.refused_cost_seconds = cost_seconds;
}

void Balancer::migration_ended(const mobile::MigrationOutcome& outcome) {
  models_.follow(outcome);
  {
    const std::lock_guard guard(lock_);
    const auto found = under_way_.find(outcome.object);
    const bool is_ordered = found != under_way_.end() && is_by_strategy(decisions_[found->second]);
    if (!is_ordered && outcome.moved && outcome.message_objects > 0)
      costs_.add(outcome.message_objects, outcome.message_bytes, seconds(outcome.duration));
    if (outcome.is_for_good) {
      unmovable_.insert(outcome.object);
      has_unmovable_.store(true, std::memory_order_relaxed);
    } else if (outcome.moved) {
      unmovable_.erase(outcome.object);
    }
    if (found == under_way_.end()) return;  // moved by the program
    Decision& decision = decisions_[found->second];
    under_way_.erase(found);
    decision.bytes = outcome.bytes;
    decision.move_seconds = seconds(outcome.duration);
    decision.outcome = outcome.moved ? Decision::Outcome::moved : Decision::Outcome::refused;
    decision.note = outcome.refusal;
    ++(outcome.moved ? stats_.migrations_moved : stats_.migrations_refused);
    if (is_ordered && under_way_.empty()) add_overlapping(costs_, decisions_, now());
  }
  hurry();
}

std::vector<Decision> Balancer::decisions() const {
  const std::lock_guard guard(lock_);
  return decisions_;
}

BalancerStats Balancer::stats() const {
  const std::lock_guard guard(lock_);
  return stats_;
}

}  // namespace roam::balance
