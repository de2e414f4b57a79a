// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "roam/core/option_group.hpp"

namespace roam::core {

using OptionGroups = std::vector<const AnyOptionGroup*>;

/// What command line, environment and file say.
struct TakenOptions {
  OptionValues values;
  std::vector<GivenOption> given;  ///< in order of increasing precedence, overridden ones included
  /// --roam-help was given; nothing else was looked at.
  bool help = false;
  std::string help_topic;  ///< NAME of --roam-help NAME
};

/// Takes the options of `groups` (--PREFIX-NAME VALUE, --PREFIX-NAME=VALUE), --roam-config and
/// --roam-help out of arguments without the program's name, wherever they stand before a lone "--",
/// and leaves the rest in order. Unset ones come from `environment` ("NAME=value": PREFIX_NAME;
/// empty counts as unset), then from the TOML file of --roam-config or ROAM_CONFIG, then from
/// `defaults`. An option given twice takes the last value. Prints nothing. Throws ConfigError that
/// says what was given where and what is allowed, also for values that another source overrides;
/// the arguments are then unchanged.
[[nodiscard]] TakenOptions take_options(std::vector<std::string>& arguments,
                                        std::span<const std::string> environment,
                                        const OptionValues& defaults,
                                        const OptionGroups& groups = AnyOptionGroup::all());
/// Does the same for the arguments of main() and the environment of the process; argc shrinks and
/// argv[argc] stays null.
[[nodiscard]] TakenOptions take_options(int& argc, char** argv, const OptionValues& defaults,
                                        const OptionGroups& groups = AnyOptionGroup::all());

/// The text of --roam-help: every option with its meaning and default; or, if `topic` is an option
/// or one of the names that an option accepts, what there is to say of it. Throws ConfigError for
/// an unknown topic.
[[nodiscard]] std::string options_help(const OptionValues& defaults, const std::string& topic = {},
                                       const OptionGroups& groups = AnyOptionGroup::all());

}  // namespace roam::core
