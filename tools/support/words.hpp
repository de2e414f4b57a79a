// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace roam_tools {

/// "cores", "switches 2", "PUs": a level's name for several groups.
[[nodiscard]] std::string plural(const std::string& level);

}  // namespace roam_tools
