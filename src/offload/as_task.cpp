// SPDX-License-Identifier: Apache-2.0
#include "roam/offload/as_task.hpp"

namespace roam::offload::detail {

void count_as_run_here(Duration task_time) {
  const exec::Context* const context = exec::current();
  if (context != nullptr && context->execution != nullptr) context->execution->ran(task_time);
}

}  // namespace roam::offload::detail
