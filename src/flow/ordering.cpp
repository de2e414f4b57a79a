// SPDX-License-Identifier: Apache-2.0
// Tasks that the back end orders: it is told what each of them does with which data. Instances only
// count who uses them, so that their memory is reused and freed as it is when tasks are tracked.
#include <algorithm>
#include <array>
#include <vector>

#include "roam/flow/core.hpp"

namespace roam::flow {

namespace {

// Number of data of most tasks at most.
constexpr std::size_t usual_count = 8;

// A part is ordered as the whole, so that tasks may wait for more than they have to, never for
// less. A task that accumulates only writes to memory of its own while it runs.
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

// What a task does with the datum of one of its accesses: a back end is told of each datum once. If
// the task modifies one part and reads another, or uses a part without elements beside the whole,
// it modifies the datum.
Effect joint_effect(std::span<const Access> accesses, const Access& access) {
  const auto accumulates = [](const Access& one) { return one.effect == Effect::accumulate; };
  for (const Access& other : accesses) {
    if (&other == &access || other.instance != access.instance) continue;
    if (mode_of(other.effect) != mode_of(access.effect) ||
        accumulates(other) != accumulates(access))
      return Effect::modify;
  }
  return access.effect;
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
  std::size_t count = 0;
  for (Access& access : accesses) {
    const Effect joint = joint_effect(accesses, access);
    const bool is_apart = access.instance->count_use(access, joint);
    const std::span<const DatumUse> before = uses.first(count);
    if (std::ranges::find(before, access.instance, &DatumUse::datum) != before.end()) continue;
    DatumUse& use = uses[count++];
    use.datum = access.instance;
    use.is_apart = is_apart;
    use.mode = mode_of(joint);
    if (is_held && use.mode == DatumUse::Mode::commute) use.mode = DatumUse::Mode::write;
  }
  task.is_ordered_ = true;
  ordering_->submit(task, uses.first(count), is_held);
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
