// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "roam/balance/lb_data.hpp"

namespace roam_balance {

void print_phase(const roam::balance::LbData::Phase& phase, const roam::balance::Quality& before);
void print_header(int width);
void print_row(const std::string& strategy, int width, const roam::balance::Quality& quality,
               double decision_seconds);
void print_failure(const std::string& strategy, int width, const std::string& reason);

/// One file per rank, data.RANK.json, in a folder that is made if need be. Throws ConfigError.
void write(const roam::balance::LbData& data, const std::string& folder);

}  // namespace roam_balance
