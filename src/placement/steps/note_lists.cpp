// SPDX-License-Identifier: Apache-2.0
#include "roam/placement/detail/note_lists.hpp"

#include <cmath>

#include "roam/core/error.hpp"

namespace roam::placement {

void check_note(const ObjectNote& note, std::int32_t ranks) {
  const auto exists = [ranks](std::int32_t rank) { return rank >= 0 && rank < ranks; };
  if (!exists(note.rank) || !exists(note.to) || !std::isfinite(note.seconds) || note.seconds < 0) {
    throw MalformedMessage("a note on an object names no rank or no time");
  }
}

void NoteLists::send(StepHost& host) const {
  for (const auto& [rank, notes] : lists_) {
    core::Packer packer = host.message();
    core::pack(packer, notes);
    host.send(rank, std::move(packer));
  }
}

}  // namespace roam::placement
