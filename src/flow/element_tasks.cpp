// SPDX-License-Identifier: Apache-2.0
#include "flow/element_tasks.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "element_group.hpp"
#include "roam/core/error.hpp"
#include "roam/flow/core.hpp"
#include "roam/flow/detail/element_queue.hpp"
#include "roam/flow/detail/remote_body.hpp"

namespace roam::flow {

namespace {

// Chosen: what it takes to write, send and read a byte, and how many are never too many.
constexpr double nanoseconds_per_byte = 1;
constexpr std::uint64_t few_bytes = 16 * 1024;

/// Names what runs in traces, as long as it exists.
class Labelled {
 public:
  explicit Labelled(const char* name)
      : context_(exec::current()), before_(std::exchange(context_->label, name)) {}
  Labelled(const Labelled&) = delete;
  Labelled& operator=(const Labelled&) = delete;
  ~Labelled() { context_->label = before_; }

 private:
  exec::Context* const context_;
  const char* const before_;
};

std::span<const std::byte> bytes_of(const Array<std::byte>& array) {
  return {array.data(), array.size()};
}

}  // namespace

ElementTasks::Counts ElementTasks::counts() const {
  const core::LockGuard guard(lock_);
  return {last_, kept_.fetched()};
}

void ElementTasks::prepare(Distribution& distribution) {
  const std::uint64_t count = distribution.count();
  if (distribution.queue_count() == count) return;
  make_groups(rank_, distribution);
  std::vector<std::unique_ptr<ElementQueue>> queues;
  queues.reserve(count);
  for (const ObjectId group : distribution.groups())
    queues.push_back(std::make_unique<ElementQueue>(rank_, group));
  distribution.set_queues(std::move(queues));
}

std::uint64_t ElementTasks::run_one(ElementQueue& queue) {
  TaskRecord* const task = queue.pop();
  if (task == nullptr) return 0;
  std::int64_t bytes = 0;
  for (const Access& access : task->accesses()) {
    if (access.effect == Effect::modify) bytes += access.instance->measured_bytes();
  }
  task->core().run(*task, true);
  return static_cast<std::uint64_t>(bytes);
}

TravellingTask ElementTasks::begin_one(ElementQueue& queue) {
  while (TaskRecord* const task = queue.pop()) {
    TravellingTask sent = begin(*task, queue);
    if (sent.number != 0) return sent;
    task->core().run_here(*task);
  }
  return {};
}

// The first pass counts bytes.
TravellingTask ElementTasks::begin(TaskRecord& task, ElementQueue& queue) {
  TravellingTask sent;
  if (!task.core().begin_elsewhere(task)) return sent;
  sent.body = task.remote_body()->number();
  TravelNotes notes{kept_, queue};
  std::uint64_t each_time = 0;
  bool is_fine = false;
  try {
    core::Packer counter = core::Packer::counting();
    task.write_inputs(counter, notes);
    each_time = counter.counted() - notes.once;
    is_fine = !is_too_large(sent.body, each_time);
    if (is_fine) {
      core::Packer packer(rank_.messenger().large_memory().take(counter.counted()));
      task.write_inputs(packer, notes);
      const std::size_t size = packer.size();
      sent.inputs = core::detail::ArrayAccess::over<std::byte>(packer.take(), size);
    }
  } catch (...) {  // by a class of the program: the task may run here
    is_fine = false;
  }
  if (!is_fine) {
    kept_.end_use(notes.used);
    kept_.end_numbers(notes.issued);
    return sent;
  }
  sent.dropped = queue.take_dropped();
  const core::LockGuard guard(lock_);
  sent.number = ++last_;
  elsewhere_.emplace(sent.number,
                     Sent{&task, std::move(notes.used), std::move(notes.issued), each_time});
  return sent;
}

bool ElementTasks::is_too_large(std::uint32_t body, std::uint64_t bytes) const {
  if (bytes <= few_bytes) return false;
  const core::LockGuard guard(lock_);
  const auto found = too_large_.find(body);
  return found != too_large_.end() && bytes >= found->second;
}

void ElementTasks::learn(std::uint32_t body, std::uint64_t bytes, Duration took) {
  if (bytes <= few_bytes) return;
  if (nanoseconds_per_byte * static_cast<double>(bytes) < static_cast<double>(took.count()) / 2)
    return;
  const core::LockGuard guard(lock_);
  const auto [place, is_new] = too_large_.try_emplace(body, bytes);
  if (!is_new) place->second = std::min(place->second, bytes);
}

ElementTasks::Sent ElementTasks::take(std::uint64_t number) {
  const core::LockGuard guard(lock_);
  const auto found = elsewhere_.find(number);
  if (found == elsewhere_.end()) throw MalformedMessage("a task has ended that is not elsewhere");
  Sent sent = std::move(found->second);
  elsewhere_.erase(found);
  return sent;
}

void ElementTasks::run_after_all(std::uint64_t number) {
  const Sent sent = take(number);
  kept_.end_use(sent.used);
  kept_.end_numbers(sent.issued);
  sent.task->core().run(*sent.task, true);
}

void ElementTasks::ended(const EndedTask& ended) {
  const Sent sent = take(ended.number);
  ElementQueue& queue = *sent.task->queue();
  kept_.end_use(sent.used);
  if (ended.outcome == EndedTask::Outcome::not_begun) {
    kept_.end_numbers(sent.issued);
    return queue.push(*sent.task);
  }
  const bool has_failed = ended.outcome == EndedTask::Outcome::failed;
  if (!has_failed)
    learn(sent.task->remote_body()->number(), sent.each_time, Duration(ended.nanoseconds));
  core::Unpacker outputs(bytes_of(ended.outputs));
  TravelNotes notes{kept_, queue};
  sent.task->core().ended_elsewhere(*sent.task, has_failed ? &ended.words : nullptr, outputs,
                                    notes);
  kept_.end_numbers(sent.issued);
}

EndedTask ElementTasks::run(const TravellingTask& task, KeptValues& kept) {
  const exec::Engine& engine = here().engine();
  EndedTask ended;
  ended.number = task.number;
  for (const std::uint64_t number : task.dropped) kept.drop(number);
  try {
    const RemoteBody* const body = RemoteBody::find(task.body);
    if (body == nullptr) throw MalformedMessage("a task has a body that is not known");
    const Labelled labelled(body->name());
    core::Unpacker inputs(bytes_of(task.inputs));
    core::Packer outputs(core::Buffer{});
    const Instant began = engine.now();
    body->call(inputs, outputs, kept);
    ended.nanoseconds = (engine.now() - began).count();
    const std::size_t size = outputs.size();
    ended.outputs = core::detail::ArrayAccess::over<std::byte>(outputs.take(), size);
  } catch (const ValueNotKept&) {
    ended.outcome = EndedTask::Outcome::not_begun;
  } catch (...) {
    ended.outcome = EndedTask::Outcome::failed;
    ended.words = words_of(std::current_exception());
  }
  return ended;
}

}  // namespace roam::flow
