// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <roam/roam.hpp>

#include "port/port_settings.hpp"

namespace sw4 {

/// The main program of each rank.
[[nodiscard]] roam::Task<> run_port(roam::Runtime& rt, const PortSettings& settings);

}  // namespace sw4
