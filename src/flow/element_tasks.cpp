// SPDX-License-Identifier: Apache-2.0
#include "flow/element_tasks.hpp"

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

/// What `write` writes, in memory of the messenger's that is taken once.
template <class Write>
Array<std::byte> packed(Runtime& rank, Write&& write) {
  core::Packer counter = core::Packer::counting();
  write(counter);
  core::Packer packer(rank.messenger().large_memory().take(counter.counted()));
  write(packer);
  const std::size_t size = packer.size();
  return core::detail::ArrayAccess::over<std::byte>(packer.take(), size);
}

std::span<const std::byte> bytes_of(const Array<std::byte>& array) {
  return {array.data(), array.size()};
}

}  // namespace

void ElementTasks::prepare(Distribution& distribution) {
  const std::uint64_t count = distribution.count();
  if (distribution.queue_count() == count) return;
  std::vector<ObjectId>& groups = distribution.groups();
  for (std::uint64_t k = groups.size(); k < count; ++k) {
    groups.push_back(
        rank_.create<ElementGroup>(distribution.name(), distribution.index(k), rank_.rank()).id());
  }
  std::vector<std::unique_ptr<ElementQueue>> queues;
  queues.reserve(count);
  for (const ObjectId group : groups) queues.push_back(std::make_unique<ElementQueue>(rank_, group));
  distribution.set_queues(std::move(queues));
}

void ElementTasks::close(Distribution& distribution) {
  for (std::uint64_t k = 0; k < distribution.queue_count(); ++k) distribution.queue_at(k)->close();
}

void ElementTasks::run_one(ElementQueue& queue) {
  if (TaskRecord* const task = queue.pop()) task->core().run(*task, true);
}

TravellingTask ElementTasks::begin_one(ElementQueue& queue) {
  while (TaskRecord* const task = queue.pop()) {
    TravellingTask sent = begin(*task);
    if (sent.number != 0) return sent;
    task->core().run(*task, true);
  }
  return {};
}

TravellingTask ElementTasks::begin(TaskRecord& task) {
  TravellingTask sent;
  if (!task.core().begin_elsewhere(task)) return sent;
  sent.body = task.remote_body()->number();
  try {
    sent.inputs = packed(rank_, [&](core::Packer& packer) { task.write_inputs(packer); });
  } catch (...) {  // by a class of the program: it may run here
    return sent;
  }
  const core::LockGuard guard(lock_);
  sent.number = ++last_;
  elsewhere_.emplace(sent.number, &task);
  return sent;
}

TaskRecord* ElementTasks::take(std::uint64_t number) {
  const core::LockGuard guard(lock_);
  const auto found = elsewhere_.find(number);
  if (found == elsewhere_.end()) throw MalformedMessage("a task has ended that is not elsewhere");
  TaskRecord* const task = found->second;
  elsewhere_.erase(found);
  return task;
}

void ElementTasks::ended(const EndedTask& ended) {
  TaskRecord* const task = take(ended.number);
  core::Unpacker outputs(bytes_of(ended.outputs));
  task->core().ended_elsewhere(*task, ended.has_failed ? &ended.words : nullptr, outputs);
}

EndedTask ElementTasks::run(const TravellingTask& task) {
  EndedTask ended;
  ended.number = task.number;
  try {
    const RemoteBody* const body = RemoteBody::find(task.body);
    if (body == nullptr) throw MalformedMessage("a task has a body that is not known");
    core::Unpacker inputs(bytes_of(task.inputs));
    core::Packer outputs(core::Buffer{});
    body->call(inputs, outputs);
    const std::size_t size = outputs.size();
    ended.outputs = core::detail::ArrayAccess::over<std::byte>(outputs.take(), size);
  } catch (...) {
    ended.has_failed = true;
    ended.words = words_of(std::current_exception());
  }
  return ended;
}

}  // namespace roam::flow
