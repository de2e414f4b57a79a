// SPDX-License-Identifier: Apache-2.0
#include "roam/flow/detail/datum.hpp"

#include "flow/graph_run.hpp"
#include "roam/flow/core.hpp"

namespace roam::flow {

Datum::Datum(Scope& scope, Make maker, const DatumLabel& label)
    : scope_(scope), make_(maker), label_(label) {
  scope.core().note_data(1);
}

Datum::~Datum() {
  replace(nullptr);
  scope_.core().note_data(-1);
}

void Datum::set_name(const char* name) {
  label_.name = name;
  if (current_ != nullptr && current_->is_unused()) current_->set_name(name);
}

// Tasks of a graph that are withheld have no references yet. A datum of a graph belongs to the main
// program, whose thread is the only one that releases it.
void Datum::release() {
  if (references_.load(std::memory_order_acquire) != 1 &&
      references_.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  GraphRun* const graph = graph_stamp_ != 0 ? scope_.graph() : nullptr;
  graph != nullptr ? graph->keep(*this) : destroy(*this);
}

void Datum::replace(Instance* instance) {
  Instance* const before = std::exchange(current_, instance);
  if (before != nullptr && before->retire()) delete before;
}

Instance* Datum::make() const {
  Instance* const made = make_(scope_.core(), label_);
  if (copy_ != nullptr) made->set_copy(copy_);
  return made;
}

// Where tasks run at once, there is nobody to wait for.
void Datum::set_copy(Instance::Copy copy) {
  if (scope_.core().runs_at_once()) return;
  copy_ = copy;
  if (current_ != nullptr && current_->is_unused()) current_->set_copy(copy);
}

Instance& Datum::fresh() {
  if (current_ == nullptr || !current_->is_unused()) replace(make());
  return *current_;
}

}  // namespace roam::flow
