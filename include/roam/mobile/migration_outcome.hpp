// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "roam/core/object_id.hpp"
#include "roam/core/types.hpp"

namespace roam::mobile {

/// How a migration that started here ended.
struct MigrationOutcome {
  ObjectId object;          ///< which was to move
  Rank target;              ///< where to
  bool moved = false;       ///< it lives there now
  std::uint64_t bytes = 0;  ///< of the packed object
  Duration duration{0};     ///< from the hand-over to the transport to the target's answer
  /// How many objects the message carried, in the outcome of its first object; 0 in those of the
  /// others.
  std::uint32_t message_objects = 0;
  std::uint64_t message_bytes = 0;  ///< of that message in all
  std::string refusal;              ///< why not
  /// Refused by its class itself, whose load or constructor threw, and would again.
  bool is_for_good = false;
  std::string_view class_name;  ///< of the object
};

}  // namespace roam::mobile
