// SPDX-License-Identifier: Apache-2.0
// Tasks whose bodies may run on other ranks (ElementTasks), as far as tracking is concerned.
#include <exception>
#include <string>

#include "roam/flow/core.hpp"
#include "roam/flow/detail/kept_elsewhere.hpp"

namespace roam::flow {

void Core::run_here(TaskRecord& task) {
  task.is_queued_ = false;
  ready(task);
}

void Core::forget_kept(Instance& instance) {
  kept_.load(std::memory_order_acquire)->forget(instance);
}

void Core::ended_elsewhere(TaskRecord& task, const std::string* failure, core::Unpacker& outputs,
                           TravelNotes& notes) {
  if (failure != nullptr) {
    fail(task, FailureRef(new Failure(engine_, task.describe() + " failed: " + *failure, nullptr)));
  } else {
    try {
      task.read_outputs(outputs, notes);
    } catch (...) {
      fail(task, failed(task));
    }
  }
  body_ended(task);
}

}  // namespace roam::flow
