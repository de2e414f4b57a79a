// SPDX-License-Identifier: Apache-2.0
// The end of a phase: the elements of collections are given to mobile objects while a strategy
// moves these, and are then stored where the objects are.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "element_group.hpp"
#include "flow/flow_part.hpp"
#include "roam/am/detail/system_handlers.hpp"
#include "roam/flow/flow.hpp"
#include "roam/mobile/detail/added_calls.hpp"

namespace roam::flow {

namespace {

using Group = mobile_ptr<ElementGroup>;

/// An object that a policy has moved within the phase.
struct Moved {
  Group group;
  Rank to;
};

/// Gives the objects of local indices their elements and the load of their tasks. Returns those
/// that were on other ranks.
Task<std::vector<Moved>> open_groups(Runtime& rank, Distribution& distribution) {
  make_groups(rank, distribution);
  const std::vector<ObjectId>& groups = distribution.groups();
  const std::uint64_t count = groups.size();
  const std::int32_t own = rank.rank().value();
  std::vector<am::Reply<bool>> replies;
  replies.reserve(count);
  for (const ObjectId id : groups) replies.push_back(Group(id).call<&ElementGroup::open>(own));
  std::vector<Moved> moved;
  for (std::uint64_t k = 0; k < count; ++k) {
    bool is_open = co_await replies[k];
    if (!is_open) {
      const auto place = rank.objects().place_of(groups[k]);
      if (place) moved.push_back({Group(groups[k]), place->rank});
    }
    while (!is_open) {
      co_await Group(groups[k]).migrate_and_wait(rank.rank());
      is_open = co_await Group(groups[k]).call<&ElementGroup::open>(own);
    }
    rank.objects().add_run_time(groups[k], distribution.take_load(k));
  }
  co_return moved;
}

/// Finds out which of them have left, by position, and tells the homes where they are.
Task<std::vector<bool>> settle_groups(Runtime& rank, Distribution& distribution) {
  const std::vector<ObjectId>& groups = distribution.groups();
  std::vector<am::Reply<std::int32_t>> replies;
  replies.reserve(groups.size());
  for (const ObjectId id : groups) replies.push_back(Group(id).call<&ElementGroup::settle>());
  std::vector<bool> has_gone(groups.size());
  for (std::uint64_t k = 0; k < groups.size(); ++k) {
    const Rank at(co_await replies[k]);
    if (at == rank.rank()) continue;
    has_gone[k] = true;
    const std::uint64_t index = distribution.index(k);
    rank.messenger().post(
        distribution.shape().home(index),
        TellRank{distribution.name().flow, distribution.name().number, index, at, true});
  }
  co_return has_gone;
}

}  // namespace

Task<balance::PhaseReport> Flow::phase() {
  Core& core = scope().core();
  FlowPart& part = FlowPart::of(core.engine());
  Runtime& rank = part.rank();
  co_await done();
  std::vector<std::shared_ptr<Distribution>> all;
  if (!core.runs_at_once()) all = core.distributions();  // otherwise each rank has all elements
  std::vector<Moved> moved;
  for (const auto& one : all) {
    part.distributions().keep(one);
    for (const Moved& was : co_await open_groups(rank, *one)) moved.push_back(was);
    part.distributions().note_objects(*one);
  }
  // So that all indices that were read have objects before other ranks tell of that.
  if (std::ranges::any_of(all, &Distribution::is_measured)) co_await rank.barrier();
  part.distributions().count_reads(all);
  const balance::PhaseReport report = co_await rank.phase();
  // Where policies have moved them, they stay, with all their elements.
  for (const Moved& one : moved) {
    try {
      co_await one.group.migrate_and_wait(one.to);
    } catch (const RemoteError&) {  // that rank refuses them now
    }
  }
  for (const auto& one : all)
    one->set_counts_reads(one->is_measured() && mobile::counts_calls(rank.engine()));
  part.publications().end_phase();
  part.distributions().forget_all_but(core.id());
  std::vector<std::vector<bool>> has_gone;
  std::uint64_t gone = 0;
  for (const auto& one : all) {
    has_gone.push_back(co_await settle_groups(rank, *one));
    for (const bool is_gone : has_gone.back()) gone += is_gone ? 1 : 0;
  }
  if (all.empty() || co_await rank.allreduce<std::plus<>>(gone) == 0) co_return report;
  co_await rank.quiescence();  // so that the homes know
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i]->rearrange(has_gone[i]);
    all[i]->begin_phase();
  }
  co_return report;
}

// Tasks that are not over may need what the objects keep; then these end with the next Flow.
void Flow::end_groups() {
  Core& core = scope().core();
  if (exec::current() == nullptr) return;  // the job has ended
  for (const auto& one : core.distributions()) {
    if (!one->moves_within_phases() || core.unfinished() == 0)
      roam::flow::end_groups(FlowPart::of(core.engine()).rank(), *one);
  }
}

}  // namespace roam::flow
