// SPDX-License-Identifier: Apache-2.0
// Moves as work of epochs (M10). A call is work of its epoch on the rank where it is; while it is
// sent inside the message that carries its object it is a message of the epoch.
#include "move_state.hpp"
#include "rare_state.hpp"

#include <utility>

namespace roam::mobile {

void MoveState::count_leaving(am::Epochs& epochs, Resident& resident, std::int64_t number) {
  MoveState& move = of(resident);
  if (move.has_counted_leaving == (number > 0)) return;
  move.has_counted_leaving = number > 0;
  const auto count = [&](const Call& call) {
    if (call.header().epoch != 0) epochs.sent(call.header().epoch, move.target, number);
  };
  for (const Call* call = move.leaving.first; call != nullptr; call = call->next) count(*call);
  for (const auto& [key, call] : resident.rare().early) count(*call);
}

void MoveState::begin_for(am::Epochs& epochs, Resident& resident, std::uint64_t epoch) {
  if (epoch == 0) return;
  epochs.begin_work(epoch);
  of(resident).moved_for.push_back(epoch);
}

std::uint64_t MoveState::end_all(am::Epochs& epochs, Resident& resident, bool keep_last) {
  MoveState* const move = of_or_none(resident);
  if (move == nullptr || move->moved_for.empty()) return 0;
  std::vector<std::uint64_t> ended = std::exchange(move->moved_for, {});
  std::uint64_t last = 0;
  if (keep_last) {
    last = ended.back();
    ended.pop_back();
  }
  for (const std::uint64_t epoch : ended) epochs.end_work(epoch);
  return last;
}

}  // namespace roam::mobile
