// SPDX-License-Identifier: Apache-2.0
#include "roam/offload/detail/task_function.hpp"

#include <atomic>

#include "roam/am/detail/handler_table.hpp"

namespace roam::offload {

namespace {

// The head of the list: written by static initialisers only, one at a time. Those of a library that
// is loaded while the job runs do so while workers look for functions.
std::atomic<const TaskFunctionRegistrar*>& head() {
  static constinit std::atomic<const TaskFunctionRegistrar*> first = nullptr;
  return first;
}

}  // namespace

TaskFunctionRegistrar::TaskFunctionRegistrar(const TaskFunction& function)
    : function_(function), id_(am::handler_id(function.name.symbol)), next_(first()) {
  head().store(this, std::memory_order_release);
}

std::string TaskFunctionRegistrar::describe() const {
  return "offloadable task " + core::distinct_name(function_.name, first());
}

const TaskFunctionRegistrar* TaskFunctionRegistrar::first() {
  return head().load(std::memory_order_acquire);
}

const TaskFunctionRegistrar* TaskFunctionRegistrar::find(std::uint32_t id) {
  const TaskFunctionRegistrar* entry = first();
  while (entry != nullptr && entry->id() != id) entry = entry->next();
  return entry;
}

}  // namespace roam::offload
