// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "roam/core/detail/owned.hpp"
#include "roam/mobile/detail/resident.hpp"

namespace roam::mobile {

struct MoveState;

struct Resident::RareState {
  RareState();
  ~RareState();
  // Calls set aside until it is their turn, by origin and number.
  std::map<std::pair<std::int32_t, std::uint32_t>, Call*> early;
  core::Owned<MoveState> move;  // used by the Migrations alone
};

}  // namespace roam::mobile
