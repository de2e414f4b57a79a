// SPDX-License-Identifier: Apache-2.0
#include "roam/offload/detail/task_function.hpp"

#include "roam/am/detail/handler_table.hpp"

namespace roam::offload {

namespace {

// The head of the list: written by static initialisers only, like that of the handlers.
const TaskFunctionRegistrar*& head() {
  static constinit const TaskFunctionRegistrar* first = nullptr;
  return first;
}

}  // namespace

TaskFunctionRegistrar::TaskFunctionRegistrar(const TaskFunction& function)
    : function_(function), id_(am::handler_id(function.name.symbol)), next_(head()) {
  head() = this;
}

std::string TaskFunctionRegistrar::describe() const {
  return "offloadable task " + core::distinct_name(function_.name, first());
}

const TaskFunctionRegistrar* TaskFunctionRegistrar::first() { return head(); }

const TaskFunctionRegistrar* TaskFunctionRegistrar::find(std::uint32_t id) {
  const TaskFunctionRegistrar* entry = first();
  while (entry != nullptr && entry->id() != id) entry = entry->next();
  return entry;
}

}  // namespace roam::offload
