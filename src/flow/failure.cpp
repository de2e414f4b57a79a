// SPDX-License-Identifier: Apache-2.0
#include "roam/flow/failure.hpp"

#include "roam/exec/engine.hpp"

namespace roam::flow {

void Failure::raise() {
  note_told();
  throw TaskFailed(text_, cause_);
}

void Failure::release() {
  if (references_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (!is_told_.load(std::memory_order_relaxed) && !engine_.stopped()) engine_.report_error(text_);
  delete this;
}

}  // namespace roam::flow
