// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace roam {

/// Calls that handlers of one object have issued to another. Plain bytes.
struct CallEdge {
  std::uint64_t from = 0;  ///< ids
  std::uint64_t to = 0;
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;  ///< of arguments, as they lie in memory: those that stay are not packed
};

}  // namespace roam
