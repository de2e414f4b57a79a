// SPDX-License-Identifier: Apache-2.0
#include "column.hpp"

#include <stdexcept>

namespace task_bench {

void Column::take(std::int64_t step, Output&& input) {
  if (step < step_) {
    throw std::runtime_error("an input for step " + std::to_string(step) + " of point " +
                             std::to_string(point_) + " comes after that task");
  }
  const auto ahead = static_cast<std::size_t>(step - step_);
  if (ahead >= come_.size()) {
    std::vector<std::vector<Output>> larger(2 * (ahead + 1));
    for (std::size_t k = 0; k < come_.size(); ++k)
      larger[k] = std::move(come_[(first_ + k) % come_.size()]);
    come_ = std::move(larger);
    first_ = 0;
  }
  come_[slot(step)].push_back(std::move(input));
}

bool Column::is_ready(const Graph& graph) const {
  return step_ < graph.steps() && come_[first_].size() >= graph.inputs(step_, point_).size();
}

std::vector<Output> Column::begin_task(const Graph& graph) {
  std::vector<Output> inputs = std::exchange(come_[first_], {});
  const std::int64_t next = graph.next_step(step_ + 1, point_);
  first_ = (first_ + 1) % come_.size();
  step_ = next;
  return inputs;
}

std::vector<const Output*> pointers_to(const std::vector<Output>& outputs) {
  std::vector<const Output*> pointers;
  pointers.reserve(outputs.size());
  for (const Output& output : outputs) pointers.push_back(&output);
  return pointers;
}

}  // namespace task_bench
