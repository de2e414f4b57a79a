// SPDX-License-Identifier: Apache-2.0
#include "roam/flow/detail/kept_elsewhere.hpp"

#include "element_group.hpp"
#include "roam/core/error.hpp"
#include "roam/flow/core.hpp"
#include "roam/flow/detail/element_queue.hpp"
#include "roam/runtime/runtime.hpp"

namespace roam::flow {

std::uint64_t KeptElsewhere::number_of(const Instance& instance) const {
  const auto found = numbers_.find(&instance);
  return found == numbers_.end() ? 0 : found->second;
}

std::uint64_t KeptElsewhere::begin_use(const Instance& instance) {
  if (!instance.is_kept()) return 0;
  const core::LockGuard guard(lock_);
  const std::uint64_t number = number_of(instance);
  if (number != 0) ++kept_.at(number).uses;
  return number;
}

void KeptElsewhere::end_use(std::span<const std::uint64_t> numbers) {
  if (numbers.empty()) return;
  const core::LockGuard guard(lock_);
  for (const std::uint64_t number : numbers) {
    --kept_.at(number).uses;
    drop_unused(number);
  }
}

std::uint64_t KeptElsewhere::new_number(const Instance& instance) {
  const SourceLine& line = instance.label().where;
  const core::LockGuard guard(lock_);
  if (needed_by_others_.contains({line.file, line.line})) return 0;
  to_be_written_.emplace(++last_, std::nullopt);
  return last_;
}

void KeptElsewhere::end_numbers(std::span<const std::uint64_t> numbers) {
  const core::LockGuard guard(lock_);
  for (const std::uint64_t number : numbers) to_be_written_.erase(number);
}

void KeptElsewhere::keep(Instance& instance, ElementQueue& queue, std::uint64_t number, Read read) {
  instance.put_place_holder();
  const core::LockGuard guard(lock_);
  if (const std::uint64_t old = number_of(instance); old != 0) let_go(old);
  const auto written = to_be_written_.find(number);
  if (written == to_be_written_.end()) throw MalformedMessage("a value has an unknown number");
  const std::optional<std::vector<std::byte>> value = std::move(written->second);
  to_be_written_.erase(written);
  if (value) {
    core::Unpacker bytes(*value);
    return read(instance, bytes);
  }
  numbers_.emplace(&instance, number);
  kept_.emplace(number, Kept{&instance, &queue, read, 0, {}});
  count_.fetch_add(1, std::memory_order_release);
  instance.set_kept(true);
}

// Its instance does not refer to the value any more.
void KeptElsewhere::let_go(std::uint64_t number) {
  Kept& kept = kept_.at(number);
  Instance* const instance = std::exchange(kept.instance, nullptr);
  numbers_.erase(instance);
  instance->set_kept(false);
  count_.fetch_sub(1, std::memory_order_release);
  drop_unused(number);
}

// The object is told with the next task.
void KeptElsewhere::drop_unused(std::uint64_t number) {
  const auto found = kept_.find(number);
  if (found->second.instance != nullptr || found->second.uses > 0) return;
  found->second.queue->drop(number);
  kept_.erase(found);
}

void KeptElsewhere::forget(Instance& instance) {
  const core::LockGuard guard(lock_);
  if (const std::uint64_t number = number_of(instance); number != 0) let_go(number);
}

bool KeptElsewhere::is_all_here(TaskRecord& task, const ElementQueue* own) {
  struct Question {
    ObjectId group;
    std::uint64_t number;
  };
  std::vector<Question> questions;
  {
    const core::LockGuard guard(lock_);
    std::vector<std::uint64_t> missing;
    for (const Access& access : task.accesses()) {
      Instance& instance = *access.instance;
      const std::uint64_t number = instance.is_kept() ? number_of(instance) : 0;
      if (number == 0 || kept_.at(number).queue == own) continue;
      if (access.effect == Effect::overwrite) {
        let_go(number);
      } else {
        missing.push_back(number);
        needed_by_others_.emplace(instance.label().where.file, instance.label().where.line);
      }
    }
    if (missing.empty()) return true;
    Core::hold_back(task, static_cast<std::uint32_t>(missing.size()));
    for (const std::uint64_t number : missing) {
      Kept& kept = kept_.at(number);
      if (kept.wait.empty()) questions.push_back({kept.queue->group(), number});
      kept.wait.push_back(&task);
    }
  }
  fetched_.fetch_add(questions.size(), std::memory_order_relaxed);
  for (const Question& one : questions) {
    rank_.objects().send<&ElementGroup::give>(one.group, CallOptions{}, am::ReplyTo{}, one.number);
  }
  return false;
}

// The value is read under the lock, since nothing else keeps an instance from being destroyed that
// no task waits for.
void KeptElsewhere::came(std::uint64_t number, std::span<const std::byte> bytes) {
  std::vector<TaskRecord*> wait;
  {
    const core::LockGuard guard(lock_);
    const auto found = kept_.find(number);
    if (found == kept_.end()) {
      const auto written = to_be_written_.find(number);
      if (written != to_be_written_.end()) written->second.emplace(bytes.begin(), bytes.end());
      return;
    }
    if (found->second.instance == nullptr) return;
    Kept& kept = found->second;
    Instance& instance = *kept.instance;
    core::Unpacker unpacker(bytes);
    try {
      kept.read(instance, unpacker);
    } catch (...) {
      const std::exception_ptr cause = std::current_exception();
      instance.set_failure(
          FailureRef(new Failure(instance.core().engine(),
                                 "a value could not be brought back: " + words_of(cause), cause)));
    }
    wait = std::move(kept.wait);
    let_go(number);
  }
  for (TaskRecord* const task : wait) task->core().arrived(*task);
}

}  // namespace roam::flow
