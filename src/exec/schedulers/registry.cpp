// SPDX-License-Identifier: Apache-2.0
#include "roam/core/error.hpp"
#include "roam/exec/schedulers.hpp"

namespace roam::exec {

std::vector<const SchedulerKind*> schedulers() { return SchedulerRegistrar::all(); }

std::vector<std::string> scheduler_names() {
  std::vector<std::string> names;
  for (const SchedulerKind* kind : schedulers()) names.push_back(kind->name);
  return names;
}

std::unique_ptr<Scheduler> make_scheduler(const PluginChoice& choice, WorkerIndex workers,
                                          std::string_view origin) {
  try {
    const auto& kind = plugin::find_kind<SchedulerKind>("scheduler", choice.name);
    return kind.create(plugin::Parameters("scheduler " + kind.name, kind.parameters, choice),
                       workers);
  } catch (const ConfigError& error) {
    throw ConfigError(std::string(origin) + ": " + error.what());
  }
}

void check_scheduler(const PluginChoice& choice, std::string_view origin) {
  (void)make_scheduler(choice, 1, origin);
}

}  // namespace roam::exec
