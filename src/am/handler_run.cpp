// SPDX-License-Identifier: Apache-2.0
#include "roam/am/detail/handler_run.hpp"

#include "roam/am/detail/passing_execution.hpp"

namespace roam::am {

std::string PassingExecution::describe() const { return handler_.describe(); }

void HandlerRun::end_in_epoch() {
  Epochs& epochs = messenger().epochs();
  const std::uint64_t epoch = epoch_;
  destroy();
  epochs.end_work(epoch);
}

std::string HandlerRun::describe() const { return handler_.describe(); }

}  // namespace roam::am
