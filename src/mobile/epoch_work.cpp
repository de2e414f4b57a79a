// SPDX-License-Identifier: Apache-2.0
// Calls and moves as work of epochs (M10). A call is work of its epoch on the rank where it lies,
// from its arrival to its end; on its way it is a message of the epoch, also inside the message
// that carries its object.
#include "roam/core/error.hpp"
#include "roam/mobile/object_space.hpp"
#include "roam/mobile/resident.hpp"

namespace roam::mobile {

// Issued here, and stays.
void ObjectSpace::keep_for_epoch(Call& call) {
  if (call.header().epoch == 0) return;
  messenger_.epochs().begin_work(call.header().epoch);
  call.counts_for_epoch = true;
}

// Came from elsewhere. Deletes it if it cannot be.
void ObjectSpace::take_in_for_epoch(Call& call) {
  if (call.header().epoch == 0) return;
  if (!messenger_.epochs().taken_in(call.header().epoch)) {
    delete &call;
    throw MalformedMessage("a call of an epoch that does not exist");
  }
  call.counts_for_epoch = true;
}

// Came from elsewhere and does not stay; no_rank: for an object that does not exist.
void ObjectSpace::pass_on_for_epoch(const CallHeader& header, Rank to) {
  if (header.epoch == 0) return;
  am::Epochs& epochs = messenger_.epochs();
  if (!epochs.taken_in(header.epoch))
    throw MalformedMessage("a call of an epoch that does not exist");
  if (to != no_rank) epochs.sent(header.epoch, to);
  epochs.end_work(header.epoch);
}

// The calls packed with an object have set out; -1: they have not, after all. They go on being work
// here until the target has them.
void ObjectSpace::count_leaving(Resident& resident, std::int64_t number) {
  Resident::Uncommon& uncommon = resident.uncommon();
  if (uncommon.has_counted_leaving == (number > 0)) return;
  uncommon.has_counted_leaving = number > 0;
  const auto count = [&](const Call& call) {
    if (call.header().epoch != 0)
      messenger_.epochs().sent(call.header().epoch, uncommon.target, number);
  };
  for (const Call* call = uncommon.leaving.first; call != nullptr; call = call->next) count(*call);
  for (const auto& [key, call] : uncommon.early) count(*call);
}

// The calls that came with an object, which nobody else knows yet.
void ObjectSpace::take_in_arrived(Resident& resident) {
  const auto take_in = [this](Call& call) {
    // One of an epoch that cannot be is one of none.
    if (call.header().epoch == 0) return;
    call.counts_for_epoch = messenger_.epochs().taken_in(call.header().epoch);
    if (!call.counts_for_epoch) call.header().epoch = 0;
  };
  for (Call* call = resident.inbox.first; call != nullptr; call = call->next) take_in(*call);
  if (!resident.has_early()) return;
  for (const auto& [key, call] : resident.uncommon().early) take_in(*call);
}

// Under the shard's lock.
void ObjectSpace::begin_move(Resident& resident, std::uint64_t epoch) {
  if (epoch == 0) return;
  messenger_.epochs().begin_work(epoch);
  resident.uncommon().moved_for.push_back(epoch);
}

// The move, or the last of several that were asked for, is over. Returns the epoch of whoever asked
// last if that is to be kept for what remains to be done.
std::uint64_t ObjectSpace::end_moves(Resident& resident, bool keep_last) {
  const Resident::Uncommon* uncommon = resident.uncommon_or_none();
  if (uncommon == nullptr || uncommon->moved_for.empty()) return 0;
  std::vector<std::uint64_t> epochs = std::exchange(resident.uncommon().moved_for, {});
  std::uint64_t last = 0;
  if (keep_last) {
    last = epochs.back();
    epochs.pop_back();
  }
  for (const std::uint64_t epoch : epochs) messenger_.epochs().end_work(epoch);
  return last;
}

}  // namespace roam::mobile
