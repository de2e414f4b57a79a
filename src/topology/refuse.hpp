// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "roam/core/detail/text.hpp"
#include "roam/core/error.hpp"

namespace roam::topology {

/// Throws ConfigError "PLACE: what is wrong", always as one line, whatever text `what` repeats.
[[noreturn]] inline void refuse(std::string_view place, const std::string& what) {
  throw ConfigError(core::one_line(std::string(place) + ": " + what));
}

}  // namespace roam::topology
