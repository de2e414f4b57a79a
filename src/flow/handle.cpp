// SPDX-License-Identifier: Apache-2.0
#include "roam/flow/handle.hpp"

#include "roam/core/error.hpp"
#include "roam/flow/body_task.hpp"

namespace roam::flow {

ValueWait::ValueWait(Datum& datum, const SourceLine& where)
    : TaskRecord(datum.scope(), "get()", where), label_(datum.label()) {
  access_.datum = &datum;
  access_.effect = Effect::read;
  set_accesses(&access_, 1);
  set_waits();
}

ValueWait::~ValueWait() {
  if (is_listed_) core().engine().waits().remove(this);
  end();
}

bool ValueWait::begin() {
  if (parent().task() != nullptr)
    throw Error(to_string(label_) + " is awaited inside a task, which issues and does not wait");
  if (!access_.datum->is_written()) {
    throw Error("get() (" + to_string(where()) + ") awaits " + to_string(label_) +
                ", which no task has written and which was given no value");
  }
  if (!core().runs_at_once()) return false;
  is_there_ = core().wait(*this);
  return true;
}

bool ValueWait::suspend(std::coroutine_handle<> handle) {
  waiter_.capture(handle);
  exec::Engine& engine = core().engine();
  engine.waits().add(this);
  is_listed_ = true;
  // From here on another thread may resume the coroutine, which contains this object.
  const bool is_there = core().wait(*this);
  return !is_there;
}

const void* ValueWait::value() {
  if (std::exchange(is_listed_, false)) core().engine().waits().remove(this);
  is_there_ = true;
  Instance& instance = *access_.instance;
  if (const FailureRef failure = instance.any_failure()) failure->raise();
  if (instance.value() == nullptr) {
    throw Error("get() (" + to_string(where()) + ") awaits " + to_string(label_) +
                ", which has no value: no task has given it one");
  }
  return instance.value();
}

void ValueWait::end() {
  if (!is_there_ || std::exchange(is_over_, true)) return;
  core().release(*this);
}

// Describing it changes nothing, although it is reached like tasks that run.
std::string ValueWait::waits_for() const {
  const std::string at = " (get() at " + to_string(where()) + ")";
  const std::string words =
      access_.has_instance ? core().wait_in_words(const_cast<ValueWait&>(*this)) : std::string();
  return words.empty() ? to_string(label_) + at + ", which tasks are to write" : words + at;
}
std::string ValueWait::who() const {
  return waiter_.execution() == nullptr ? "a coroutine" : waiter_.execution()->describe();
}

void detail::refuse_part(const DatumLabel& label, std::size_t begin, std::size_t end,
                         const std::string& why) {
  throw Error("part [" + std::to_string(begin) + ", " + std::to_string(end) + ") of " +
              to_string(label) + ", " + why);
}

const void* detail::require_value(TaskRecord& task, std::size_t access) {
  const Instance& instance = *task.accesses()[access].instance;
  if (instance.value() == nullptr)
    throw Error("its condition reads " + to_string(instance.label()) + ", which has no value");
  return instance.value();
}

}  // namespace roam::flow
