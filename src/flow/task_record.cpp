// SPDX-License-Identifier: Apache-2.0
#include "roam/flow/task_record.hpp"

#include "roam/flow/core.hpp"

namespace roam::flow {

std::string TaskRecord::describe() const {
  return std::string("task ") + name_ + " (" + to_string(where()) + ")";
}

void* TaskRecord::operator new(std::size_t bytes, Core& core) {
  return core.pool().take(BlockPool::Kind::task, bytes);
}
void TaskRecord::operator delete(void* memory) { BlockPool::free(memory); }
void TaskRecord::operator delete(void* memory, Core& /*core*/) { BlockPool::free(memory); }

void TaskRecord::finish(exec::Context& /*context*/) { core().body_ended(*this); }

void TaskRecord::set_accesses(Access* first, std::size_t count) {
  const std::size_t offset = set_accesses_at(first, count, false);
  for (std::size_t i = 0; i < count; ++i)
    first[i].offset = static_cast<std::uint16_t>(offset + i * sizeof(Access));
}

}  // namespace roam::flow
