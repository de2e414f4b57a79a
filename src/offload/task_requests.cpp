// SPDX-License-Identifier: Apache-2.0
#include "roam/offload/detail/task_requests.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "roam/core/error.hpp"
#include "roam/offload/detail/guests.hpp"
#include "roam/offload/detail/home_tasks.hpp"

namespace roam::offload {

namespace {

// Tasks shorter than this are not asked for: they would be done before they had travelled.
constexpr double least_task_seconds = 100e-6;
// A partner that has given nothing is asked no more often than this.
constexpr Duration least_interval = std::chrono::milliseconds(1);
// A partner may be at the beginning of a task and answers after it: so many tasks for each worker,
// beside the one that a worker is about to begin, are to be left when a rank asks.
constexpr std::uint32_t tasks_ahead = 1;

void check_seconds(float seconds) {
  if (!is_possible_time(seconds))
    throw MalformedMessage("a rank that is busy for no possible time");
}

}  // namespace

TaskRequests::TaskRequests(am::Messenger& messenger, HomeTasks& tasks, Guests& guests)
    : messenger_(messenger),
      tasks_(tasks),
      guests_(guests),
      partners_(partners_of(messenger.rank().value(), messenger.size())) {
  messenger.bind<&TaskRequests::on_asked>(*this);
  messenger.bind<&TaskRequests::on_answered>(*this);
}

std::vector<TaskRequests::Partner> TaskRequests::partners_of(std::int32_t own, std::int32_t ranks) {
  std::vector<Partner> partners;
  const auto add = [&](std::int32_t rank) {
    const auto is_same = [rank](const Partner& one) { return one.rank.value() == rank; };
    if (std::ranges::none_of(partners, is_same)) partners.push_back({.rank = Rank(rank)});
  };
  for (std::int32_t distance = 1; distance <= ranks / 2; distance *= 2) {
    add((own + distance) % ranks);
    add((own + ranks - distance) % ranks);
  }
  return partners;
}

// --- asking ---

void TaskRequests::allow(bool may_ask) {
  may_ask_.store(may_ask, std::memory_order_relaxed);
  if (may_ask && !tasks_.has_own()) consider(true);
}

void TaskRequests::begin_step() {
  const double other_work = other_work_so_far();
  const core::LockGuard guard(lock_);
  ++step_;
  last_round_ -= least_interval;  // everybody may be asked again
  for (Partner& one : partners_) one.busy_until.reset();
  other_work_.add(other_work - other_work_before_);
  other_work_before_ = other_work;
}

double TaskRequests::other_work_so_far() const {
  const exec::Engine& engine = messenger_.engine();
  Duration busy{0};
  for (WorkerIndex worker = 0; worker < engine.workers(); ++worker)
    busy += engine.stats(worker).busy();
  return seconds(busy) - tasks_.counts().computed_seconds - guests_.counts().computed_seconds;
}

double TaskRequests::other_work_left() const {
  const double so_far = other_work_so_far();
  const core::LockGuard guard(lock_);
  return std::max(0.0, other_work_.median() - (so_far - other_work_before_));
}

double TaskRequests::busy_seconds() const {
  const TaskQueue own = tasks_.queue();
  const TaskQueue of_others = guests_.queue();
  const double coming = std::max(0, coming_.load(std::memory_order_relaxed));
  const double sum = own.seconds + own.running_seconds + of_others.seconds +
                     of_others.running_seconds + other_work_left() +
                     coming * std::max(own.task_seconds, of_others.task_seconds);
  return sum / messenger_.engine().workers();
}

// The one that is busy for longest; near ones that have not answered yet come first.
TaskRequests::Partner* TaskRequests::best_partner(Instant now, double busy_seconds) {
  const Instant own_end = now + from_seconds(busy_seconds);
  Partner* best = nullptr;
  for (Partner& one : partners_) {
    if (one.is_asked || (one.busy_until && *one.busy_until <= own_end)) continue;
    if (!one.busy_until) return &one;
    if (best == nullptr || *one.busy_until > *best->busy_until) best = &one;
  }
  return best;
}

// Whoever has given a task may have more. The others are not asked again and again by a rank whose
// tasks are short.
void TaskRequests::ask_anew() {
  const Instant now = messenger_.engine().now();
  const bool are_all_due = now - last_round_ >= least_interval;
  if (are_all_due) last_round_ = now;
  for (Partner& one : partners_)
    if (are_all_due || std::exchange(one.has_given, false)) one.is_asked = false;
}

void TaskRequests::consider(bool all_anew) {
  if (!may_ask_.load(std::memory_order_relaxed)) return;
  const TaskQueue own = tasks_.queue();
  const TaskQueue of_others = guests_.queue();
  const std::uint32_t workers = messenger_.engine().workers();
  const std::int32_t coming = std::max(0, coming_.load(std::memory_order_relaxed));
  const std::uint32_t left = own.tasks + of_others.tasks + static_cast<std::uint32_t>(coming);
  if (left > tasks_ahead * workers + 1) return;
  const double usual = std::max(own.task_seconds, of_others.task_seconds);
  if (usual > 0 && usual < least_task_seconds) return;
  const double busy = busy_seconds();
  Asked wish{.tasks = std::min(workers, (tasks_ahead + 1) * workers + 1 - left),
             .workers = workers,
             .seconds = static_cast<float>(busy)};
  Rank whom = no_rank;
  {
    const core::LockGuard guard(lock_);
    if (all_anew) ask_anew();
    if (is_waiting_) return;
    Partner* const best = best_partner(messenger_.engine().now(), busy);
    if (best == nullptr) return;
    best->is_asked = true;
    is_waiting_ = true;
    wish.step = step_;
    whom = best->rank;
  }
  messenger_.post(whom, wish);
}

void TaskRequests::on_answered(const Answered& answer, Rank from) {
  check_seconds(answer.seconds);
  if (answer.tasks > messenger_.engine().workers())
    throw MalformedMessage("more tasks than this rank has asked for");
  coming_.fetch_add(static_cast<std::int32_t>(answer.tasks), std::memory_order_relaxed);
  {
    const core::LockGuard guard(lock_);
    const auto partner = std::ranges::find(partners_, from, &Partner::rank);
    if (partner == partners_.end() || !is_waiting_)
      throw MalformedMessage("an answer to a request for tasks that was not made");
    is_waiting_ = false;
    partner->has_given = answer.tasks > 0;
    partner->busy_until = messenger_.engine().now() + from_seconds(double{answer.seconds});
  }
  consider(false);
}

// --- answering ---

void TaskRequests::on_asked(const Asked& wish, Rank from) {
  check_seconds(wish.seconds);
  bool queues = false;
  {
    const core::LockGuard guard(lock_);
    requests_.push_back({from, wish, messenger_.engine().now()});
    queues = !std::exchange(is_answering_, true);
  }
  if (queues) messenger_.engine().push(&answering_);
}

void TaskRequests::answer_all() {
  for (;;) {
    Request request;
    bool is_of_this_step = false;
    {
      const core::LockGuard guard(lock_);
      if (requests_.empty()) {
        is_answering_ = false;
        return;
      }
      request = requests_.front();
      is_of_this_step = request.wish.step == step_;
      requests_.erase(requests_.begin());
    }
    const double passed = seconds(messenger_.engine().now() - request.arrived);
    const double others = guests_.queue().seconds + other_work_left();
    // In another step, the sender has tasks of its own again, or this rank has.
    const std::uint32_t given =
        !is_of_this_step
            ? 0
            : tasks_.give({.to = request.from,
                           .tasks = request.wish.tasks,
                           .workers = std::max(1U, request.wish.workers),
                           .free_in_seconds = std::max(0.0, double{request.wish.seconds} - passed),
                           .other_work_seconds = others / messenger_.engine().workers()});
    messenger_.post(request.from, Answered{given, static_cast<float>(busy_seconds())});
  }
}

}  // namespace roam::offload
