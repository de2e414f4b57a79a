// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "roam/balance/load_models.hpp"
#include "roam/balance/registry.hpp"
#include "roam/balance/schedulers.hpp"
#include "roam/balance/strategy.hpp"
#include "roam/core/plugin/library.hpp"

namespace roam::balance {

/// What a shared library brings that --roam-balancer, --roam-load-model or --roam-scheduler names
/// by its path. It defines one, beside the registrars of what is named here:
///
///   const roam::balance::PluginLibrary roam_plugin{.balancer = "halves"};
///
/// Which plug-in of a family is meant needs to be said only where the library registers several.
struct PluginLibrary {
  plugin::LibraryStamp stamp = {};   ///< filled in by the compiler
  const char* balancer = nullptr;    ///< name of a policy or strategy
  const char* scheduler = nullptr;   ///< name of a scheduler
  const char* load_model = nullptr;  ///< name of a load model
};

/// The choice as it is, or if its name is the path of a shared library: with the name of the
/// balancer in there, which is registered from then on. The library stays loaded; loading one
/// twice is loading it once. Blocks for the file system; runs the library's initialisers. Any
/// thread. Throws ConfigError that starts with `origin`: there is no such file, it is no library,
/// it needs what this program does not have, it lacks the symbol roam_plugin, was built against
/// another Roam, or brings no balancer.
[[nodiscard]] PluginChoice load_balancer(PluginChoice choice,
                                         std::string_view origin = "--roam-balancer");
/// Loads the scheduler of a shared library; otherwise like load_balancer().
[[nodiscard]] PluginChoice load_scheduler(PluginChoice choice,
                                          std::string_view origin = "--roam-scheduler");
/// Loads those load models of a stack that are in shared libraries; otherwise like load_balancer().
[[nodiscard]] std::vector<PluginChoice> load_model_stack(
    std::vector<PluginChoice> stack, std::string_view origin = "--roam-load-model");

}  // namespace roam::balance

/// The library's description. Every plug-in library defines this name, and programs must not.
extern "C" [[gnu::visibility("default")]] const roam::balance::PluginLibrary roam_plugin;
