// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "roam/am/message_options.hpp"
#include "roam/balance/balance_options.hpp"
#include "roam/core/option_values.hpp"
#include "roam/exec/work_options.hpp"
#include "roam/mobile/location_options.hpp"
#include "roam/runtime/job_options.hpp"
#include "roam/trace/record_options.hpp"
#include "roam/transport/network_options.hpp"

namespace roam {

/// The options of a job. Those of the rooms that every program uses are members, named like the
/// option with '_' for '-', and with its unit: --roam-max-hops is max_hops. All others, of further
/// rooms and of the program itself, are accessed by the struct that contains them:
/// options.of<Settings>().
struct Options : JobOptions,
                 transport::NetworkOptions,
                 exec::WorkOptions,
                 am::MessageOptions,
                 mobile::ObjectSpaceOptions,
                 balance::BalanceOptions,
                 trace::RecordOptions {
  /// All settings in order of increasing precedence, including overridden ones.
  std::vector<GivenOption> given;
  /// The values of all other groups of options.
  core::OptionValues others;

  /// The values of the options that an OptionGroup<Values> describes.
  template <class Values>
  [[nodiscard]] const Values& of() const {
    if constexpr (std::is_base_of_v<Values, Options>) {
      return *this;
    } else {
      return others.get<Values>();
    }
  }
  /// The values of the options that an OptionGroup<Values> describes, to be changed before the job
  /// starts.
  template <class Values>
  [[nodiscard]] Values& edit() {
    if constexpr (std::is_base_of_v<Values, Options>) {
      return *this;
    } else {
      return others.edit<Values>();
    }
  }

  /// Where option `name` (without prefix) got its value, as in GivenOption::origin; "default" if it
  /// was not set.
  [[nodiscard]] std::string origin(std::string_view name) const;
};

namespace detail {
/// Options with their default values. Programs that leave Roam's options alone refer to these and
/// need not compile how options are made and destroyed.
[[nodiscard]] const Options& default_options();
}  // namespace detail

/// Workers of each rank when `ranks_here` ranks share this machine: options.workers, or if that is
/// 0 the cores this process may use (affinity mask respected) divided by ranks_here, at least 1.
[[nodiscard]] std::uint32_t workers_per_rank(const Options& options, std::int32_t ranks_here);

/// The result of take_options().
struct ParsedArguments {
  Options options;  ///< the values that were set, and defaults for all others
  /// True if --roam-help was given; then nothing else was looked at, and the arguments are
  /// unchanged. The caller should print options_help() and exit with status 0.
  bool help = false;
  std::string help_topic;  ///< the topic in --roam-help TOPIC; empty: all options
};

/// Takes Roam's options (--roam-NAME VALUE, --roam-NAME=VALUE), and those that the program has
/// registered, out of argv, wherever they stand before a lone "--", and leaves the rest in order;
/// argc shrinks and argv[argc] stays null. Unset ones come from environment variables (ROAM_NAME;
/// empty counts as unset), then from the TOML file of --roam-config or ROAM_CONFIG (keys without
/// prefix), then from `defaults`. An option given twice takes the last value. --roam-ranks and
/// --roam-workers replace those of a simulated machine described in a source of the same or lower
/// precedence. Prints nothing. Throws ConfigError that says what was given where and what is
/// allowed, also for values that another source overrides; argc and argv are then unchanged.
[[nodiscard]] ParsedArguments take_options(int& argc, char** argv,
                                           const Options& defaults = detail::default_options());

/// Takes Roam's options out of arguments without the program's name, as take_options() above, with
/// `environment` ("NAME=value") instead of the process's.
[[nodiscard]] ParsedArguments take_options(std::vector<std::string>& arguments,
                                           std::span<const std::string> environment,
                                           const Options& defaults = detail::default_options());

/// The text of --roam-help: every option with its meaning and default, and the names of plug-ins;
/// or the help about `topic`, an option or the name of a plug-in. Throws ConfigError for an unknown
/// topic.
[[nodiscard]] std::string options_help(const std::string& topic = {},
                                       const Options& defaults = detail::default_options());

}  // namespace roam
