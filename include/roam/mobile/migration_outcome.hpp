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
  ObjectId object;
  Rank target;
  bool moved = false;
  std::uint64_t bytes = 0;
  Duration duration{0};  ///< from the hand-over to the transport to the target's answer
  /// Of the first object of a message: what that carried in all. No objects: another one tells.
  std::uint32_t message_objects = 0;
  std::uint64_t message_bytes = 0;
  std::string refusal;  ///< why not
  /// Refused by its class itself, whose load or constructor threw, and would again.
  bool is_for_good = false;
  std::string_view class_name;
};

}  // namespace roam::mobile
