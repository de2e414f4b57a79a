// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "roam/placement/distributed.hpp"

namespace roam::placement {

/// Throws MalformedMessage for a note that names ranks which do not exist, or whose time is no
/// valid number.
void check_note(const ObjectNote& note, std::int32_t ranks);

/// Collects notes for several ranks and sends one list to each, in the order of ranks.
class NoteLists {
 public:
  void add(std::int32_t rank, const ObjectNote& note) { lists_[rank].push_back(note); }
  void send(StepHost& host) const;

 private:
  std::map<std::int32_t, std::vector<ObjectNote>> lists_;
};

}  // namespace roam::placement
