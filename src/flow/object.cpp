// SPDX-License-Identifier: Apache-2.0
#include "roam/flow/object.hpp"

#include "flow/flow_part.hpp"
#include "roam/core/error.hpp"

namespace roam::flow::detail {

void require_calls_of_objects(const Scope& scope, const SourceLine& where) {
  const Core& core = scope.core();
  const BackendKind& kind = FlowPart::of(core.engine()).kind();
  if (!core.runs_at_once() && kind.runs_on_workers) return;
  throw Error("adopt() at " + to_string(where) +
              ": tasks cannot call objects where each runs to its end inside the call that issues "
              "it, or on threads that are not the rank's workers; use --roam-flow-backend roam");
}

AnswerTask::AnswerTask(Scope& scope, const SourceLine& where, Datum* object, Datum* result)
    : TaskRecord(scope, "answer", where) {
  std::size_t count = 0;
  if (object != nullptr) {
    accesses_[count].datum = object;
    accesses_[count++].effect = Effect::modify;
  }
  if (result != nullptr) {
    result_at_ = count;
    accesses_[count].datum = result;
    accesses_[count++].effect = Effect::overwrite;
  }
  set_accesses(accesses_, count);
  set_priority(Priority::high);  // it is short, and tasks that wait for it become ready
}

void AnswerTask::await(AnswerTask* task, am::PendingReply& reply) {
  task->core().submit_expected(task);
  task->arrival_.capture({});
  if (!reply.wait(&task->arrival_)) task->core().arrived(*task);
}

// The task may be over, and this with it, when arrived() returns.
void AnswerTask::Arrival::run(exec::Context& /*context*/) { task.core().arrived(task); }

}  // namespace roam::flow::detail
