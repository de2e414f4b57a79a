// SPDX-License-Identifier: Apache-2.0
#include "roam/offload/detail/guests.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "roam/core/error.hpp"
#include "roam/exec/context.hpp"
#include "roam/offload/detail/task_requests.hpp"

namespace roam::offload {

namespace {

// The result of one of so many tasks of a function is packed once more, to find its size. Chosen:
// that costs a sixteenth of what packing results costs anyway.
constexpr std::uint64_t tasks_per_measurement = 16;

}  // namespace

Guests::Guests(am::Messenger& messenger, std::uint64_t memory_bytes, bool records_visits)
    : messenger_(messenger), memory_bytes_(memory_bytes), records_visits_(records_visits) {
  messenger.bind<&Guests::on_shipped>(*this);
  messenger.bind<&Guests::on_recall>(*this);
}

std::size_t Guests::Hash::operator()(const Key& key) const noexcept {
  return static_cast<std::size_t>((key.token ^ (static_cast<std::uint64_t>(key.home) << 40)) *
                                  0x9E3779B97F4A7C15ULL);
}

void Guests::on_shipped(const Shipped& head, am::Incoming&& rest) {
  const TaskFunctionRegistrar* const function = TaskFunctionRegistrar::find(head.function);
  if (function == nullptr) return refuse_unknown(head, rest.source);
  if (!is_possible_time(head.seconds)) throw MalformedMessage("a task that takes no possible time");
  const Rank home = rest.source;
  auto task = std::make_unique<GuestTask>(messenger_, *function, head.token, double{head.seconds},
                                          std::move(rest));
  bool is_taken = false;
  Turn* turn = nullptr;
  {
    const core::LockGuard guard(lock_);
    task->set_arrived(messenger_.engine().now(), starved_for(home));
    // Memory for the result is reserved from now on.
    Results& results = results_[head.function];
    task->set_reserved_bytes(results.largest_bytes, results.tasks++ % tasks_per_measurement == 0);
    const std::uint64_t bytes = task->bytes() + task->reserved_bytes();
    const bool has_space =
        waiting_.empty() || waiting_bytes_ + running_bytes_ + bytes <= memory_bytes_;
    is_taken = has_space &&
               waiting_.emplace(Key{home.value(), head.token}, Waiting{bytes, double{head.seconds}})
                   .second;
    if (is_taken) {
      queue_.push_back(std::move(task));
      waiting_bytes_ += bytes;
      waiting_seconds_ += double{head.seconds};
      counts_.most_bytes = std::max(counts_.most_bytes, waiting_bytes_);
      turn = take_resting();
    } else {
      ++counts_.sent_back;
    }
  }
  if (head.is_given && requests_ != nullptr) requests_->task_arrived();
  if (turn != nullptr) messenger_.engine().push(turn);
  if (!is_taken) messenger_.post(home, SentBack{head.token});
}

// How long a worker has been idle on average since a task of the same rank last came or ended.
Duration Guests::starved_for(Rank home) {
  const Duration idle = messenger_.engine().idle_time();
  const auto [place, is_first] = idle_then_.try_emplace(home.value(), idle);
  return is_first ? Duration::zero()
                  : (idle - std::exchange(place->second, idle)) / messenger_.engine().workers();
}

// Turns are made when first needed: most ranks of most programs have no guests.
Guests::Turn* Guests::take_resting() {
  if (resting_.empty() && turns_.size() < messenger_.engine().workers()) {
    turns_.push_back(std::make_unique<Turn>(*this));
    return turns_.back().get();
  }
  if (resting_.empty()) return nullptr;
  Turn* const turn = resting_.back();
  resting_.pop_back();
  return turn;
}

// The function belongs to a library that the task's rank has loaded after the job's start and this
// one has not. The answer is without a text: only the task's rank knows the function's name.
void Guests::refuse_unknown(const Shipped& head, Rank home) {
  const Returned answer{.token = head.token, .status = am::ReplyStatus::handler_failed};
  messenger_.post_behind(home, answer, std::type_identity<std::tuple<std::string>>{}, "");
}

void Guests::on_recall(const Recall& message, Rank from) {
  {
    const core::LockGuard guard(lock_);
    if (!end_waiting({from.value(), message.token})) return;  // begun or answered already
    ++counts_.sent_back;
  }
  messenger_.post(from, SentBack{message.token});
}

std::unique_ptr<GuestTask> Guests::next(Turn& turn) {
  std::vector<std::unique_ptr<GuestTask>> recalled;  // to be freed without the lock
  const core::LockGuard guard(lock_);
  while (!queue_.empty()) {
    std::unique_ptr<GuestTask> task = std::move(queue_.front());
    queue_.pop_front();
    const bool is_wanted = end_waiting({task->home().value(), task->token()});
    if (is_wanted) {
      running_bytes_ += task->reserved_bytes();
      if (requests_ != nullptr && requests_->are_allowed())
        task->set_expected_end(running_.add(messenger_.engine().now(), task->expected_seconds()));
      return task;
    }
    recalled.push_back(std::move(task));
  }
  resting_.push_back(&turn);
  return nullptr;
}

bool Guests::end_waiting(const Key& key) {
  const auto place = waiting_.find(key);
  if (place == waiting_.end()) return false;
  waiting_bytes_ -= place->second.bytes;
  waiting_seconds_ -= place->second.seconds;
  waiting_.erase(place);
  if (waiting_.empty()) waiting_seconds_ = 0;  // not a rounding error
  return true;
}

void Guests::Turn::run(exec::Context& context) {
  std::unique_ptr<GuestTask> task = guests_.next(*this);
  if (task == nullptr) return;  // the turn rests: another thread may run it by now
  task_ = std::move(task);
  guests_.messenger_.engine().preemption_point();
  context.execution = this;
  context.label = task_->label();
  task_->run();
  context.execution = nullptr;
  context.finished = this;
}

// The turn is queued behind other work that has become ready in the meantime.
void Guests::Turn::finish(exec::Context& context) {
  guests_.computed(*task_, context.run_time);
  task_.reset();
  guests_.messenger_.engine().push(this);
}

std::string Guests::Turn::describe() const {
  return task_ == nullptr ? "a task of another rank" : task_->describe();
}

void Guests::computed(const GuestTask& task, Duration time) {
  messenger_.engine().add_lent_time(time);
  note_computed(task, time);
  if (requests_ != nullptr) requests_->task_ended();
}

void Guests::note_computed(const GuestTask& task, Duration time) {
  const core::LockGuard guard(lock_);
  idle_then_[task.home().value()] = messenger_.engine().idle_time();
  running_bytes_ -= task.reserved_bytes();
  std::uint64_t& largest = results_[task.function_id()].largest_bytes;
  largest = std::max(largest, task.result_bytes());
  if (task.expected_end() != Instant{0}) running_.remove(task.expected_end());
  if (records_visits_) {
    visits_.add({.token = task.token(),
                 .arrived = task.arrived(),
                 .begun = task.begun(),
                 .ended = task.begun() + time,
                 .home = task.home().value()});
  }
  ++counts_.computed;
  counts_.computed_seconds += seconds(time);
  task_seconds_ = averaged(task_seconds_, seconds(time));
}

void Guests::add_visits_to(trace::OffloadTrips& trace) const {
  const core::LockGuard guard(lock_);
  trace.visits.assign(visits_.records().begin(), visits_.records().end());
  trace.left_out += visits_.left_out();
}

TaskQueue Guests::queue() const {
  const core::LockGuard guard(lock_);
  return {.tasks = static_cast<std::uint32_t>(waiting_.size()),
          .seconds = waiting_seconds_,
          .running_seconds = running_.seconds_left(messenger_.engine().now()),
          .task_seconds = task_seconds_};
}

GuestCounts Guests::counts() const {
  const core::LockGuard guard(lock_);
  return counts_;
}

}  // namespace roam::offload
