// SPDX-License-Identifier: Apache-2.0
// Tasks that the back end orders: it is told what each of them does with which data. Instances only
// count who uses them, so that their memory is reused and freed as it is when tasks are tracked.
#include <array>
#include <vector>

#include "roam/flow/core.hpp"

namespace roam::flow {

namespace {

// Number of data of most tasks at most.
constexpr std::size_t usual_count = 8;

// A task that accumulates only writes to memory of its own while it runs.
DatumUse::Mode mode_of(Effect effect) {
  switch (effect) {
    case Effect::read:
    case Effect::schedule_read:
    case Effect::part_read:
    case Effect::accumulate:
      return DatumUse::Mode::read;
    case Effect::commute:
      return DatumUse::Mode::commute;
    case Effect::modify:
    case Effect::part_modify:
    case Effect::parts:
    case Effect::overwrite:
    case Effect::schedule:
      return DatumUse::Mode::write;
  }
  return DatumUse::Mode::write;
}

}  // namespace

// A task that is held does not commute: back ends may end its exclusive use with its body, and it
// has to last until its failure is known.
void Core::order(TaskRecord& task, bool is_held) {
  const std::span<Access> accesses = task.accesses();
  std::array<DatumUse, usual_count> few;
  std::vector<DatumUse> many;
  std::span<DatumUse> uses(few);
  if (accesses.size() > few.size()) {
    many.resize(accesses.size());
    uses = many;
  }
  uses = uses.first(accesses.size());
  for (std::size_t i = 0; i < uses.size(); ++i) {
    Access& access = accesses[i];
    DatumUse& use = uses[i];
    use.datum = access.instance;
    use.is_apart = access.instance->count_use(access);
    use.mode = mode_of(access.effect);
    if (is_held && use.mode == DatumUse::Mode::commute) use.mode = DatumUse::Mode::write;
  }
  task.is_ordered_ = true;
  ordering_->submit(task, uses, is_held);
}

bool Core::admitted(TaskRecord& task) {
  if (task.waits_) {
    task.call();
    return true;
  }
  for (Access& access : task.accesses())
    access.is_special = access.is_special || access.instance->has_part_failures();
  if (task.blockers_.fetch_sub(1, std::memory_order_acq_rel) != 1) return false;
  run(task);
  return true;
}

}  // namespace roam::flow
