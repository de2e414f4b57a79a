// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "roam/core/plugin/registrar.hpp"
#include "roam/exec/scheduler.hpp"

namespace roam::exec {

/// An order of the ready work within a rank, as --roam-scheduler names it. Registered by one line
/// next to its implementation:
///
///   const SchedulerRegistrar registrar{{.name = "fifo", ...}};
struct SchedulerKind {
  std::string name;                           ///< for --roam-scheduler
  std::string description;                    ///< one line
  std::vector<plugin::Parameter> parameters;  ///< the parameters in --roam-scheduler NAME:key=value
  /// Makes the scheduler of one rank; nullptr stands for the engine's own. Throws ConfigError for
  /// values that are wrong only in combination.
  std::unique_ptr<Scheduler> (*create)(const plugin::Parameters& parameters, WorkerIndex workers);
};

}  // namespace roam::exec

template <>
struct roam::plugin::Family<roam::exec::SchedulerKind> {
  static constexpr const char* name = "scheduler";
  static constexpr std::uint32_t interface = 1;
  static constexpr std::uint64_t layout = layout_of<exec::SchedulerKind>();
};

namespace roam::exec {

/// Registers a scheduler by its existence, as a static constant beside the scheduler's
/// implementation.
using SchedulerRegistrar = plugin::Registrar<SchedulerKind>;

/// The schedulers linked into this program, sorted by name.
[[nodiscard]] inline std::vector<const SchedulerKind*> schedulers() {
  return plugin::all<SchedulerKind>();
}
/// The names of these schedulers, for --roam-help.
[[nodiscard]] inline std::vector<std::string> scheduler_names() {
  return plugin::names<SchedulerKind>();
}

/// The scheduler of one rank; nullptr: the engine's own. Throws ConfigError (what was given, what
/// is allowed, a suggestion) that starts with `origin`.
[[nodiscard]] inline std::unique_ptr<Scheduler> make_scheduler(
    const PluginChoice& choice, WorkerIndex workers, std::string_view origin = "--roam-scheduler") {
  return plugin::make<SchedulerKind>(choice, origin, workers);
}

/// Checks a choice before the program starts. Throws like make_scheduler.
inline void check_scheduler(const PluginChoice& choice,
                            std::string_view origin = "--roam-scheduler") {
  (void)make_scheduler(choice, 1, origin);
}

}  // namespace roam::exec
