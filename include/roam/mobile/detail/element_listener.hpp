// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "roam/core/object_id.hpp"

namespace roam::mobile {

struct StuckFacts;

/// A listener that is told of parts whose object is gone, by the object's id and the part's token
/// (0: nobody counts it), and of elements of this rank that have ended. Called by any thread, also
/// inside progress; must not run code of the program.
class ElementListener {
 public:
  ElementListener() = default;
  ElementListener(const ElementListener&) = delete;
  ElementListener& operator=(const ElementListener&) = delete;
  virtual void part_is_dead(ObjectId id, std::uint64_t token) = 0;
  virtual void element_ended(ObjectId id) = 0;
  /// Adds what collections wait for in vain.
  virtual void add_stuck(StuckFacts& facts) = 0;

 protected:
  ~ElementListener() = default;
};

}  // namespace roam::mobile
