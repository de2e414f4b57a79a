// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace roam_tools {

/// The plural of a level's name: "cores", "switches 2", "PUs".
[[nodiscard]] std::string plural(const std::string& level);

}  // namespace roam_tools
