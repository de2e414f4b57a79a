// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "roam/core/plugin_choice.hpp"

namespace roam::balance {

namespace detail {
// Not inline, because every program would pay for compiling it.
[[nodiscard]] std::vector<PluginChoice> default_load_model();
}  // namespace detail

/// The options about balancing.
struct BalanceOptions {
  /// Balancing policy or strategy. Default "none".
  PluginChoice balancer = {"none", {}};
  /// Load models, which predict what objects will take in the next phase; each works on the result
  /// of the one before it. Default "persistence".
  std::vector<PluginChoice> load_model = detail::default_load_model();  ///< {{"persistence", {}}}
  /// Interval in seconds at which a strategy acts, in a program that declares no phases; 0
  /// (default): at the ends of phases.
  double phase_length_seconds = 0;
  /// Folder to which each rank writes the loads of its objects in each phase, in vt's format; empty
  /// (default): none. The folder, or the one in which it will be created, was writable at start.
  std::string lb_data;
  /// The scheduler, which decides the order of a rank's ready work. Default "stealing".
  PluginChoice scheduler = {"stealing", {}};
};

}  // namespace roam::balance
