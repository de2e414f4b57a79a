// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <roam/core/machine.hpp>
#include <string>

#include "measure.hpp"

namespace roam_calibrate {

/// The machine with these costs, with as many ranks and workers as were measured. Neighbouring
/// ranks whose messages take about equally long form the levels of its network.
[[nodiscard]] roam::Machine machine_of(const Costs& costs, std::int32_t ranks,
                                       std::uint32_t workers);

/// The machine as a file for --roam-simulate; `origin`: how it was measured.
[[nodiscard]] std::string machine_text(const roam::Machine& machine, const std::string& origin);

}  // namespace roam_calibrate
