// SPDX-License-Identifier: Apache-2.0
#include "roam/balance/schedulers.hpp"
#include "roam/core/error.hpp"

namespace roam::balance {

std::vector<const SchedulerKind*> schedulers() { return SchedulerRegistrar::all(); }

std::vector<std::string> scheduler_names() {
  std::vector<std::string> names;
  for (const SchedulerKind* kind : schedulers()) names.push_back(kind->name);
  return names;
}

std::unique_ptr<exec::Scheduler> make_scheduler(const PluginChoice& choice, WorkerIndex workers,
                                                std::string_view origin) {
  try {
    const auto& kind = find_kind<SchedulerKind>("scheduler", choice.name);
    return kind.create(Parameters("scheduler " + kind.name, kind.parameters, choice), workers);
  } catch (const ConfigError& error) {
    throw ConfigError(std::string(origin) + ": " + error.what());
  }
}

void check_scheduler(const PluginChoice& choice, std::string_view origin) {
  (void)make_scheduler(choice, 1, origin);
}

}  // namespace roam::balance
