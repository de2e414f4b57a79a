// SPDX-License-Identifier: Apache-2.0
#include "roam/offload/detail/home_tasks.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "roam/core/detail/parameters.hpp"
#include "roam/core/error.hpp"
#include "roam/offload/detail/task_requests.hpp"
#include "roam/offload/detail/trip_log.hpp"

namespace roam::offload {

HomeTasks::HomeTasks(am::Messenger& messenger, const OffloadOptions& options, bool is_on,
                     bool records_trips)
    : messenger_(messenger),
      engine_(messenger.engine()),
      is_on_(is_on),
      recomputes_(options.recompute),
      keeps_(options.keep_per_worker * messenger.engine().workers()),
      trips_(records_trips ? std::make_unique<TripLog>() : nullptr) {
  messenger.bind<&HomeTasks::on_returned>(*this);
  messenger.bind<&HomeTasks::on_sent_back>(*this);
}

HomeTasks::~HomeTasks() {
  for (HomeTask* task : table_.take_all()) {
    const bool completes =
        task->state_ == HomeTask::State::away || task->state_ == HomeTask::State::recompute;
    if (completes) task->release();  // the reference of whoever would have completed it
    task->release();
  }
}

// --- from spawn to completion ---

void HomeTasks::submit(HomeTask* task) {
  if (!is_on_) {
    spawned_off_.fetch_add(1, std::memory_order_relaxed);
    task->is_queued_ = true;
    task->add_reference();
    return engine_.push(task);
  }
  Rank destination = no_rank;
  if (trips_ != nullptr) task->spawned_at_ = engine_.now();
  {
    const core::LockGuard guard(lock_);
    ++counts_.spawned;
    task->place_ = spawned_in_step_++;
    if (task->stated_cost_.is_stated()) stated_costs_.note_spawned(task->stated_cost_);
    // Algorithm 2: tasks that are needed to occupy the workers of this rank stay here, and use no
    // quota.
    if (waiting_.size() >= keeps_) {
      if (Victim* const chosen = next_victim(*task)) {
        note_away(*task, *chosen, engine_.now());
        destination = chosen->rank;
      }
    }
    if (destination == no_rank) {
      waiting_.push_back(*task);
      task->is_queued_ = true;
      task->add_reference();
    }
  }
  engine_.preemption_point();
  if (destination == no_rank) return engine_.push(task);
  ship(*task, destination);
}

void HomeTasks::enqueue(HomeTask& task) {
  {
    const core::LockGuard guard(lock_);
    if (std::exchange(task.is_queued_, true)) return;
    task.priority = task.state_ == HomeTask::State::waiting ? Priority::low : Priority::normal;
  }
  task.add_reference();
  engine_.push(&task);
}

HomeTasks::Begin HomeTasks::begin(HomeTask& task) {
  if (!is_on_) return Begin::compute;
  std::uint64_t recalled = 0;
  Rank from = no_rank;
  {
    const core::LockGuard guard(lock_);
    task.is_queued_ = false;
    if (task.state_ == HomeTask::State::continuing) {
      // The engine had the task in its queue already. The thread that took in the result may queue
      // it once more after this; that item then finds the task complete.
      if (task.trip_ != nullptr) task.trip_->delivered = engine_.now();
      task.state_ = HomeTask::State::complete;
      return Begin::go_on;
    }
    if (task.state_ == HomeTask::State::waiting) {
      waiting_.remove(task);
    } else if (task.state_ == HomeTask::State::recompute) {
      recalled = task.away_token_;
      from = task.victim_;
      ++counts_.recomputed;
      if (task.trip_ != nullptr) task.trip_->recomputed = engine_.now();
    } else {
      return Begin::nothing;
    }
    task.state_ = HomeTask::State::running;
    if (requests_ != nullptr && requests_->are_allowed())
      task.expected_end_ = running_.add(engine_.now(), expected_seconds(task));
  }
  engine_.preemption_point();
  if (recalled != 0) messenger_.post(from, Recall{recalled});
  return Begin::compute;
}

void HomeTasks::ended(HomeTask& task) {
  if (!is_on_) return;
  {
    const core::LockGuard guard(lock_);
    if (task.state_ == HomeTask::State::running) {
      ++counts_.computed;
      counts_.computed_seconds += seconds(task.function_time_);
      note_task_seconds(task, seconds(task.function_time_));
      if (task.expected_end_ != Instant{0}) running_.remove(task.expected_end_);
    }
    // Recomputed, or computed here after it came back.
    if (task.trip_ != nullptr && task.trip_->delivered == trace::OffloadTrip::never)
      task.trip_->delivered = engine_.now();
    task.state_ = HomeTask::State::complete;
  }
  if (requests_ != nullptr) requests_->task_ended();
}

// --- away ---

HomeTasks::Victim& HomeTasks::victim(Rank rank) {
  const auto known = std::find_if(victims_.begin(), victims_.end(),
                                  [rank](const Victim& one) { return one.rank == rank; });
  if (known != victims_.end()) return *known;
  victims_.push_back({.rank = rank});
  return victims_.back();
}

// Round robin, so that each victim can begin as soon as possible (section 6); if all of them
// have something to do, a long task goes to the one whose tasks have been short so far, and a short
// one to that whose tasks have been long: a quota is a number of tasks of usual length. A task
// whose cost is stated goes if at least half of it fits into what is left.
HomeTasks::Victim* HomeTasks::next_victim(const HomeTask& task) {
  const double half = 0.5 * quota_part_of(task);
  if (quota_left_ < half) return nullptr;
  const double excess_seconds = excess_seconds_of(task);
  Victim* best = nullptr;
  const std::size_t first = next_victim_ % victims_.size();
  for (std::size_t i = 0; i < victims_.size(); ++i) {
    Victim& one = victims_[(first + i) % victims_.size()];
    const bool has_space = one.outstanding < one.window && !one.is_late;
    const bool is_allowed = one.used + half <= one.quota && has_space;
    if (!is_allowed) continue;
    const bool is_idle = one.outstanding == 0;
    const bool is_better =
        best == nullptr || (excess_seconds > 0 ? one.excess_seconds < best->excess_seconds
                                               : one.excess_seconds > best->excess_seconds);
    if (is_better || is_idle) {
      best = &one;
      next_victim_ = first + i + 1;
    }
    if (is_idle) break;
  }
  if (best != nullptr) best->excess_seconds += excess_seconds;
  return best;
}

// Tasks sent to victims of earlier quotas in this step count, too: if quotas move to another
// victim, no further tasks are sent in their place.
void HomeTasks::count_quota_left() {
  double allowed = 0;
  double used = 0;
  double left = 0;
  for (const Victim& one : victims_) {
    allowed += one.quota;
    used += one.used;
    left += std::max(0.0, one.quota - one.used);
  }
  quota_left_ = std::min(left, std::max(0.0, allowed - used));
}

void HomeTasks::note_away(HomeTask& task, Victim& victim, Instant now) {
  task.quota_part_ = static_cast<float>(quota_part_of(task));
  if (task.is_given_) {
    ++victim.given;
  } else {
    victim.used += double{task.quota_part_};
    quota_left_ -= double{task.quota_part_};
  }
  if (const double stated = stated_costs_.seconds_of(task.stated_cost_); stated > 0)
    victim.stated_excess_seconds += stated - average_seconds();
  ++victim.sent;
  if (victim.outstanding++ == 0) victim.last_sign = now;
  victim.travels.note_outstanding(victim.outstanding);
  task.sent_at_ = now;
  task.expected_seconds_ = static_cast<float>(expected_seconds(task));
  task.state_ = HomeTask::State::away;
  task.is_leaving_ = true;
  task.victim_ = victim.rank;
  task.away_token_ = table_.add(&task);
  if (is_helper(victim.rank)) {
    task.sending_token_ = task.away_token_;
    messenger_.begin_counted_work();  // until the token leaves the table
  }
  if (trips_ != nullptr) {
    task.trip_ = trips_->add({.token = task.away_token_,
                              .spawned = task.spawned_at_,
                              .sent = now,
                              .victim = victim.rank.value()},
                             task.label());
  }
  task.add_reference();
  away_.push_back(task);
  ++counts_.shipped;
  if (recomputes_) look_for_late_results_at(now + patience());
}

// The task may be complete, and gone, before this returns.
bool HomeTasks::ship(HomeTask& task, Rank victim) {
  if (is_helper(victim)) return ship_to_helper(task, victim);
  const Instant begin = engine_.now();
  const std::uint64_t token = task.away_token_;
  try {
    task.ship(
        victim,
        {.token = task.away_token_, .seconds = task.expected_seconds_, .is_given = task.is_given_});
  } catch (const std::exception&) {
    take_back(task);  // tasks that cannot be sent are computed here
    return false;
  }
  const core::LockGuard guard(lock_);
  if (HomeTask* const away = table_.find(token)) away->is_leaving_ = false;
  counts_.ship_seconds += seconds(engine_.now() - begin);
  return true;
}

void HomeTasks::take_back(HomeTask& task) {
  bool was_for_helper = false;
  {
    const core::LockGuard guard(lock_);
    (void)table_.take(task.away_token_);
    was_for_helper = is_helper(task.victim_);
    away_.remove(task);
    task.is_leaving_ = false;
    note_back(task, trace::OffloadTrip::Outcome::not_sent);
    --counts_.shipped;
    Victim& unreached = victim(task.victim_);
    if (std::exchange(task.is_given_, false)) {
      --counts_.given;
      if (unreached.given > 0) --unreached.given;
    }
    if (unreached.sent > 0) --unreached.sent;
    task.state_ = HomeTask::State::waiting;
    waiting_.push_back(task);
  }
  engine_.preemption_point();
  enqueue(task);
  task.release();  // the table's reference
  if (was_for_helper) messenger_.end_counted_work();
}

void HomeTasks::note_back(HomeTask& task, trace::OffloadTrip::Outcome outcome) {
  const Instant now = engine_.now();
  if (task.trip_ != nullptr) {
    task.trip_->back = now;
    task.trip_->outcome = outcome;
  }
  Victim& from = victim(task.victim_);
  if (from.outstanding > 0) --from.outstanding;
  from.interval_seconds = averaged(from.interval_seconds, seconds(now - from.last_sign));
  from.last_sign = now;
  from.is_late = false;
}

void HomeTasks::on_returned(const Returned& head, am::Incoming&& rest) {
  HomeTask* task = nullptr;
  bool completes = false;
  bool goes_on = false;
  bool ships = false;
  am::Incoming result;  // unless the task continues with it
  const Rank source = rest.source;
  {
    const core::LockGuard guard(lock_);
    if (is_lost(rest.source)) return;  // its tasks are computed elsewhere by now
    task = table_.find(head.token);
    if (task == nullptr || task->victim_ != rest.source)
      throw MalformedMessage("the result of a task that is not away");
    for (const float time : {head.seconds, head.waited, head.starved}) {
      if (!is_possible_time(time))
        throw MalformedMessage("the result of a task that took no possible time");
    }
    (void)table_.take(head.token);
    const HomeTask::State state = task->state_;
    const bool is_in_time = state == HomeTask::State::away || state == HomeTask::State::recompute;
    const double travel = seconds(engine_.now() - task->sent_at_) - head.waited - head.seconds;
    victim(task->victim_).travels.add(head, travel);
    if (task->is_given_) {
      const auto [known, is_first] = travel_seconds_.try_emplace(task->victim_.value(), travel);
      if (!is_first) known->second = std::min(known->second, travel);
    }
    note_back(*task,
              is_in_time ? trace::OffloadTrip::Outcome::used : trace::OffloadTrip::Outcome::late);
    if (is_in_time) {
      if (state == HomeTask::State::away) away_.remove(*task);
      task->function_time_ = from_seconds(double{head.seconds});
      task->has_returned_ = true;
      ++counts_.returned;
      if (const double stated = stated_costs_.seconds_of(task->stated_cost_); stated > 0) {
        ++counts_.returned_stated;
        counts_.returned_stated_seconds += stated;
      }
      const bool is_value = head.status == am::ReplyStatus::value;
      if (is_value) note_task_seconds(*task, head.seconds);
      goes_on = is_value && task->continues();
      completes = !goes_on;
      if (completes && task->trip_ != nullptr) task->trip_->delivered = task->trip_->back;
      (goes_on ? task->returned_ : result) = std::move(rest);
      task->state_ = goes_on ? HomeTask::State::continuing : HomeTask::State::complete;
    } else {
      ++counts_.late;
    }
    // The victim, which had no memory for more, can take another task.
    if (victim(task->victim_).window != no_window && quota_left_ > 0 && waiting_.size() > keeps_)
      ships = !std::exchange(is_shipping_, true);
  }
  if (completes || goes_on) engine_.add_lent_time(-from_seconds(double{head.seconds}));
  engine_.preemption_point();
  if (ships) engine_.push(&shipping_);
  if (goes_on) enqueue(*task);
  if (completes) complete_with(*task, head, std::move(result));
  task->release();  // the table's reference
  if (is_helper(source)) messenger_.end_counted_work();
}

void HomeTasks::complete_with(HomeTask& task, const Returned& head, am::Incoming&& result) {
  const am::EpochWork work = std::move(task.work_);
  if (head.status == am::ReplyStatus::value) {
    return task.complete({.buffer = std::move(result.buffer),
                          .offset = result.offset,
                          .attachment = std::move(result.attachment)});
  }
  std::string text;
  try {
    core::Unpacker bytes(result.payload());
    bytes.set_attachment(&result.attachment);  // a long text travels as an array does
    core::unpack_parameter<std::string>(bytes, text);
  } catch (const MalformedMessage&) {
    text = task.describe() + " failed on rank " + std::to_string(result.source.value());
  }
  if (text.empty()) {
    text = task.describe() + " came to rank " + std::to_string(result.source.value()) +
           ", whose program does not have it: has it loaded the same libraries?";
  }
  task.on_failure(text);
  task.complete({.status = am::ReplyStatus::handler_failed, .text = std::move(text)});
}

void HomeTasks::on_sent_back(const SentBack& message, Rank from) {
  HomeTask* task = nullptr;
  bool is_wanted = false;
  {
    const core::LockGuard guard(lock_);
    if (is_lost(from)) return;
    task = table_.find(message.token);
    if (task == nullptr || task->victim_ != from)
      throw MalformedMessage("a task sent back that is not away");
    (void)table_.take(message.token);
    note_back(*task, trace::OffloadTrip::Outcome::sent_back);
    ++counts_.sent_back;
    if (task->state_ == HomeTask::State::away) {
      away_.remove(*task);
      note_full(victim(from), *task);
    }
    is_wanted = task->state_ == HomeTask::State::away || task->state_ == HomeTask::State::recompute;
    if (is_wanted) {
      task->state_ = HomeTask::State::waiting;
      task->is_given_ = false;
      waiting_.push_back(*task);
    }
  }
  engine_.preemption_point();
  if (is_wanted) enqueue(*task);
  task->release();  // the table's reference
  if (is_helper(from)) messenger_.end_counted_work();
}

// A victim that has no memory for more gets one new task for each that it returns; if it has no
// task of this rank at all, it gets nothing more in this step.
void HomeTasks::note_full(Victim& full, const HomeTask& task) {
  ++counts_.refused;
  if (full.sent > 0) --full.sent;
  if (full.outstanding > 0) {
    full.window = full.outstanding;
    if (!task.is_given_) {
      full.used = std::max(0.0, full.used - double{task.quota_part_});
    } else if (full.given > 0) {
      --full.given;
    }
  } else {
    full.window = 1;
    full.used = std::max(full.used, static_cast<double>(full.quota));
    full.is_full = true;
    note_emergency(full, EmergencyReason::no_memory);
  }
  count_quota_left();
}

void HomeTasks::note_emergency(Victim& victim, EmergencyReason reason) {
  ++victim.emergencies[static_cast<std::size_t>(reason)];
  ++counts_.emergencies;
}

// --- quotas ---

void HomeTasks::set_quotas(std::span<const Quota> quotas, std::uint32_t on_request) {
  bool ships = false;
  {
    const core::LockGuard guard(lock_);
    on_request_ = on_request;
    for (Victim& one : victims_) one.quota = 0;
    for (const Quota& quota : quotas)
      if (!is_lost(Rank(quota.to))) victim(Rank(quota.to)).quota += quota.tasks;
    for (Victim& one : victims_) one.allowed = std::max(one.allowed, one.quota);
    count_quota_left();
    if (quota_left_ > 0 && waiting_.size() > keeps_) ships = !std::exchange(is_shipping_, true);
  }
  if (ships) engine_.push(&shipping_);
}

std::vector<Flow> HomeTasks::begin_step() {
  std::vector<Flow> flows;
  const core::LockGuard guard(lock_);
  for (Victim& one : victims_) {
    const std::uint32_t allowed = one.allowed + one.given;
    if (one.sent > 0 || allowed > 0)
      flows.push_back({messenger_.rank().value(), one.rank.value(), one.sent, allowed, one.given,
                       static_cast<float>(one.stated_excess_seconds)});
    one.sent = 0;
    one.allowed = one.quota;
  }
  for (Victim& one : victims_) end_step_of(one);
  std::erase_if(victims_, [](const Victim& one) {
    return one.quota == 0 && one.outstanding == 0 &&
           std::ranges::all_of(one.emergencies, [](std::uint32_t times) { return times == 0; });
  });
  stated_costs_.end_step(spawned_in_step_, task_seconds_);
  spawned_before_ = std::exchange(spawned_in_step_, 0);
  count_quota_left();
  return flows;
}

// Where the way was congested, fewer tasks may be under way, and some more from step to step: what
// the way carries is then found out again and again, as by TCP.
void HomeTasks::end_step_of(Victim& one) {
  one.used = 0;
  one.given = 0;
  one.is_full = false;
  one.excess_seconds = 0;
  one.stated_excess_seconds = 0;
  if (one.travels.are_congested(task_seconds_)) {
    one.window = one.travels.enough_outstanding();
    note_emergency(one, EmergencyReason::congestion);
    // That results were late was not the victim's fault then.
    one.emergencies[static_cast<std::size_t>(EmergencyReason::late_results)] = 0;
  } else if (one.window != no_window) {
    one.window += 1 + one.window / 4;  // it may have memory for more in the next step
  }
  one.travels.begin_step(one.outstanding);
}

// The last task; one before it, if the last is too long for what is left of the quotas.
HomeTask* HomeTasks::next_to_ship(Victim*& to) {
  constexpr std::size_t most_looks = 64;
  to = nullptr;
  if (waiting_.size() <= keeps_) return nullptr;
  std::size_t looks = 0;
  for (HomeTask* task = waiting_.back(); task != nullptr && looks < most_looks; ++looks) {
    to = next_victim(*task);
    if (to != nullptr) return task;
    if (!stated_costs_.are_used()) return nullptr;
    task = task->previous_;
  }
  return nullptr;
}

// Tasks that were queued when the quotas came are sent now, starting with the last: the first are
// about to be computed here.
void HomeTasks::ship_waiting() {
  for (;;) {
    HomeTask* task = nullptr;
    Rank destination = no_rank;
    {
      const core::LockGuard guard(lock_);
      Victim* chosen = nullptr;
      task = next_to_ship(chosen);
      if (task == nullptr) {
        is_shipping_ = false;
        return;
      }
      waiting_.remove(*task);
      note_away(*task, *chosen, engine_.now());
      destination = chosen->rank;
    }
    engine_.preemption_point();
    ship(*task, destination);
  }
}

// --- reports ---

HomeCounts HomeTasks::counts() const {
  const core::LockGuard guard(lock_);
  HomeCounts counts = counts_;
  counts.spawned += spawned_off_.load(std::memory_order_relaxed);
  return counts;
}

double HomeTasks::task_seconds() const {
  const core::LockGuard guard(lock_);
  return average_seconds();
}

std::vector<Emergency> HomeTasks::take_emergencies() {
  std::vector<Emergency> emergencies;
  const core::LockGuard guard(lock_);
  for (Victim& one : victims_) {
    for (std::size_t i = 0; i < emergency_reasons; ++i) {
      const std::uint32_t times = std::exchange(one.emergencies[i], 0);
      if (times == 0) continue;
      const auto reason = static_cast<EmergencyReason>(i);
      const bool is_of_pair = reason == EmergencyReason::congestion;
      emergencies.push_back(
          {one.rank.value(), times, reason, is_of_pair ? messenger_.rank().value() : -1});
    }
  }
  return emergencies;
}

void HomeTasks::add_trips_to(trace::OffloadTrips& trace) const {
  const core::LockGuard guard(lock_);
  if (trips_ != nullptr) trips_->add_to(trace);
}

std::string HomeTasks::describe_away() const {
  const core::LockGuard guard(lock_);
  std::string text;
  for (const Victim& one : victims_) {
    if (one.outstanding == 0) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(one.outstanding) + " at rank " +
            std::to_string(one.rank.value());
  }
  return text;
}

std::string HomeTasks::place_of(const HomeTask& task) const {
  const core::LockGuard guard(lock_);
  std::string text = task.describe();
  if (task.state_ == HomeTask::State::away)
    text += ", which has been sent to rank " + std::to_string(task.victim_.value());
  return text;
}

}  // namespace roam::offload
