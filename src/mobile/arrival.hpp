// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace roam::mobile {

/// Why an object was not taken in; an empty reason: it was.
struct Refusal {
  std::string reason = {};
  bool is_for_good = false;  // see MigrationOutcome
};

/// What has become of an object that has arrived, for its source.
struct Arrival {
  std::uint64_t id = 0;
  std::uint32_t version = 0;
  Refusal refusal;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(id, version, refusal.reason, refusal.is_for_good);
  }
};

}  // namespace roam::mobile
