// SPDX-License-Identifier: Apache-2.0
// EXPECT: this_type_cannot_be_serialised.*NoWayToTravel
#include <roam/core/serialise.hpp>

struct NoWayToTravel {
  int* pointer;
  NoWayToTravel() = default;
  ~NoWayToTravel() {}
};

void bad(roam::core::Packer& packer) { roam::core::pack(packer, NoWayToTravel{}); }
