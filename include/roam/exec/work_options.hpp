// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "roam/exec/pinning.hpp"

namespace roam {

/// Which threads make progress in communication (A8).
enum class ProgressMode : std::uint8_t {
  shared,     ///< the workers in turn
  dedicated,  ///< a thread of its own
  polling     ///< only the thread that calls poll()
};
[[nodiscard]] std::string_view to_string(ProgressMode mode);

namespace exec {

/// What a user may set for a rank's workers.
struct WorkOptions {
  /// Which threads make progress in communication. Default shared.
  ProgressMode progress_mode = ProgressMode::shared;
  /// Which cores workers are bound to. Default none.
  Pinning pin;
};

}  // namespace exec
}  // namespace roam
