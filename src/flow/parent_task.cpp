// SPDX-License-Identifier: Apache-2.0
// Tasks that have children: what they lend to these, and what they take back.
#include "roam/flow/core.hpp"

namespace roam::flow {

ParentTask::~ParentTask() {
  for (const Lent& lent : lent_) lent.datum->release();
}

Datum* ParentTask::lend(Access& access, Datum::Make make) {
  Instance& own = *access.instance;
  auto* const datum = new Datum(inner_, make, own.label());
  // If tasks run at once, they write to the parent's instance itself.
  if (core().runs_at_once()) {
    datum->share(own);
  } else {
    datum->instance().borrow(own);
  }
  // What an earlier sibling may have written is known by the time this runs.
  if (own.value() != nullptr || own.failure()) datum->note_written();
  lent_.push_back({&access, datum});
  datum->add_reference();
  return datum;
}

void ParentTask::take_back() {
  for (const Lent& lent : lent_) {
    Instance* const last = lent.datum->take();
    if (core().runs_at_once()) {
      // The instance belongs to the parent.
      if (lent.access->effect == Effect::schedule) lent.access->instance->join_part_failures();
    } else if (lent.access->effect == Effect::schedule) {
      lent.access->instance->take_back(last);
    } else {
      delete last;
    }
    lent.datum->release();
  }
  lent_.clear();
}

}  // namespace roam::flow
