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
  ObjectId object;          ///< the object that was to move
  Rank target;              ///< the rank to which it was to move
  bool moved = false;       ///< true: it is there now
  std::uint64_t bytes = 0;  ///< the size of the packed object
  Duration duration{0};     ///< from the hand-over to the transport until the target's answer
  /// How many objects the message carried, in the outcome of its first object; 0 in those of the
  /// others.
  std::uint32_t message_objects = 0;
  std::uint64_t message_bytes = 0;  ///< the size of that message
  std::string refusal;              ///< why it was refused; empty: it was not
  /// True if its own class refused it, because its load or constructor threw, so that every further
  /// attempt would fail, too.
  bool is_for_good = false;
  std::string_view class_name;  ///< the class of the object
};

}  // namespace roam::mobile
