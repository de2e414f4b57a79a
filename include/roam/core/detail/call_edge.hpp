// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace roam {

/// How often handlers of one object have called another one. Plain bytes.
struct CallEdge {
  std::uint64_t from = 0;  ///< ids
  std::uint64_t to = 0;
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;  ///< size of the arguments as they lie in memory, because arguments of
                            ///< local calls are not packed
};

}  // namespace roam
