// SPDX-License-Identifier: Apache-2.0
#include "roam/exec/work_options.hpp"

#include <string>

#include "roam/core/error.hpp"
#include "roam/core/option_group.hpp"

namespace roam {

std::string_view to_string(ProgressMode mode) {
  switch (mode) {
    case ProgressMode::dedicated:
      return "dedicated";
    case ProgressMode::polling:
      return "polling";
    case ProgressMode::shared:
      break;
  }
  return "shared";
}

}  // namespace roam

namespace roam::exec {

namespace {

/// Empty: it can be read.
std::string reason_against(const std::string& text) {
  try {
    (void)parse_pinning(text);
    return {};
  } catch (const ConfigError& error) {
    return error.what();
  }
}

/// For the default in the help; a flag that is off shows none.
std::string shown(const Pinning& pinning) {
  return pinning.binds() ? to_string(pinning) + "; off: =none" : std::string{};
}

const core::OptionGroup<WorkOptions> work_options(
    {"Workers"}, [](core::OptionGroup<WorkOptions>& group) {
      core::Option& pin = group.value(
          "pin", "", [](std::string& text) { return reason_against(text); },
          [](WorkOptions& options, const std::string& text) { options.pin = parse_pinning(text); },
          [](const WorkOptions& options) { return shown(options.pin); },
          "Bind workers to cores: =compact (neighbouring workers to cores that share caches; also "
          "without a value), =scatter (as far apart as possible) or =cores:0,2-5 (these, by "
          "hwloc's logical numbers)");
      // Ranks tell each other of it; each may be bound in a way of its own.
      pin.compared = [](const void* options) {
        return std::string(static_cast<const WorkOptions*>(options)->pin.binds() ? "on" : "off");
      };
      group.word("progress-mode", "MODE", &WorkOptions::progress_mode,
                 {{"shared", ProgressMode::shared},
                  {"dedicated", ProgressMode::dedicated},
                  {"polling", ProgressMode::polling}},
                 "Who makes communication progress: the workers in turn (shared), a thread of its "
                 "own (dedicated), calls of poll() only (polling)");
    });

}  // namespace

}  // namespace roam::exec
