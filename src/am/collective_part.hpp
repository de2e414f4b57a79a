// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tuple>

#include "roam/am/detail/system_message.hpp"
#include "roam/core/types.hpp"

namespace roam::am {

/// The message that one rank sends to another in a collective call. The value, as CollectiveValue
/// packs it, follows.
struct CollectivePart {
  static constexpr MessageKind kind{"roam.collective.part", Counted::yes, Behind::bytes};
  std::uint64_t sequence = 0;  ///< the number of the call on its rank
  std::uint64_t what = 0;      ///< CollectiveKind; 8 bytes, so that the value begins at a word
  std::uint32_t types = 0;     ///< CollectiveTypes::id()
  Rank root;
  static constexpr auto fields(auto& m) { return std::tie(m.sequence, m.what, m.types, m.root); }
};

}  // namespace roam::am
