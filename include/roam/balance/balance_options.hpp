// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "roam/core/plugin_choice.hpp"

namespace roam::balance {

/// What a user may say about balancing.
struct BalanceOptions {
  /// Balancing policy or strategy. Default "none".
  PluginChoice balancer = {"none", {}};
  /// What objects are expected to take in the next phase: load models, each on the one before it.
  /// Default "persistence".
  std::vector<PluginChoice> load_model = {{"persistence", {}}};
  /// A strategy acts every so many seconds, in a program that declares no phases; 0 (default): at
  /// the ends of phases.
  double phase_length_seconds = 0;
  /// Folder to which each rank writes what its objects took in each phase, in vt's format; empty
  /// (default): none. It, or the one it is to be made in, was writable at start.
  std::string lb_data;
  /// Who orders the ready work of a rank. Default "stealing".
  PluginChoice scheduler = {"stealing", {}};
};

}  // namespace roam::balance
