// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <roam/roam.hpp>
#include <string>
#include <vector>

#include "settings.hpp"

namespace stencil {

struct Figures {
  std::string balancer;
  std::uint64_t fingerprint = 0;
};

/// Prints the table, and writes it to settings.json if that is asked for. Throws roam::Error if it
/// cannot.
void report(const Settings& settings, const Figures& figures,
            const std::vector<roam::RankStatistics>& ranks);

}  // namespace stencil
