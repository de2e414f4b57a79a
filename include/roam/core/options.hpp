// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "roam/core/machine.hpp"

namespace roam {

/// Who makes progress in communication (A8).
enum class ProgressMode : std::uint8_t {
  shared,     ///< the workers in turn
  dedicated,  ///< a thread of its own
  polling     ///< only the thread that calls poll()
};
[[nodiscard]] std::string_view to_string(ProgressMode mode);

/// How ranks learn where a mobile object is that has moved (M7).
enum class LocationPolicy : std::uint8_t {
  lazy,   ///< a rank whose call was passed on is told, and the home always is (PREMA 3.1)
  eager,  ///< every rank that has called the object is told when it arrives, and the home
  home    ///< the home alone is told, and calls go by way of it
};
[[nodiscard]] std::string_view to_string(LocationPolicy policy);

/// A plug-in and its parameters as written, NAME[:key=value,...]. The room that owns the plug-in
/// validates them.
struct PluginChoice {
  std::string name;  ///< or the path of a shared library that brings the plug-in
  std::vector<std::pair<std::string, std::string>>
      parameters;  ///< in the order given; keys are unique

  /// As in a shell, what has a slash is a path.
  [[nodiscard]] bool is_path() const { return name.find('/') != std::string::npos; }
};

/// Reads NAME[:key=value,...] or PATH[:key=value,...]; a path has a slash, but no colon. Throws
/// ConfigError saying what is wrong with the form.
[[nodiscard]] PluginChoice parse_plugin_choice(std::string_view text);

/// Reads a stack of choices, CHOICE[+CHOICE...]. Names begin with a letter, paths also with '.' or
/// '/' (1e+5 is a value), and no path has a plus before one of these. Throws ConfigError likewise.
[[nodiscard]] std::vector<PluginChoice> parse_plugin_stack(std::string_view text);

/// An option that was set, for reports and for later error messages.
struct GivenOption {
  std::string name;    ///< without prefix: "balancer"
  std::string value;   ///< as written
  std::string origin;  ///< "--roam-balancer", "environment variable ROAM_BALANCER" or
                       ///< "roam.toml:3:12: key balancer"
};

/// Roam's own options. The option's name is the member's, with '-' for '_' and without the unit:
/// --roam-max-hops.
struct Options {
  /// Ranks in this process (or of the simulated machine), 1 to max_ranks. Default 1.
  std::int32_t ranks = 1;
  /// True if `ranks` was set: a transport whose launcher fixes the number of ranks can then object.
  bool ranks_given = false;
  /// Workers per rank, up to max_workers_per_rank; 0 ("auto", the default): the machine's cores
  /// shared among the ranks on it, see workers_per_rank().
  std::uint32_t workers = 0;
  /// Name of the transport, validated by the transport registry. Default "auto".
  std::string transport = "auto";
  /// Who makes progress in communication. Default shared.
  ProgressMode progress_mode = ProgressMode::shared;
  /// Balancing policy or strategy, validated by the balance room. Default "none".
  PluginChoice balancer = {"none", {}};
  /// What objects are expected to take in the next phase: load models, each on the one before it,
  /// validated by the balance room. Default "persistence".
  std::vector<PluginChoice> load_model = {{"persistence", {}}};
  /// A strategy acts every so many seconds, in a program that declares no phases; 0 (default): at
  /// the ends of phases.
  double phase_length_seconds = 0;
  /// How fast the workers of this process's ranks are, relative to a worker whose seconds loads are
  /// counted in: one value for all of its ranks, or one for each. 1e-6 to 1e6, default 1. A
  /// simulated machine has its own.
  std::vector<double> speeds = {1.0};
  /// Who orders the ready work of a rank, validated by the balance room. Default "stealing".
  PluginChoice scheduler = {"stealing", {}};
  /// Show a live progress line. Default off.
  bool progress = false;
  /// File to write the event trace to; empty (default): no trace. Its folder was writable at start.
  std::string trace;
  /// File to which a job that is stuck writes who waits for whom, in the language of Graphviz;
  /// empty (default): none. Its folder was writable at start.
  std::string stuck_graph;
  /// Folder to which each rank writes what its objects took in each phase, in vt's format; empty
  /// (default): none. It, or the one it is to be made in, was writable at start.
  std::string lb_data;
  /// Seed of everything random. Default 1.
  std::uint64_t seed = 1;
  /// Bind workers to cores. Default off.
  bool pin = false;
  /// Run on this simulated machine in virtual time. Default: none, a real run. `ranks` and
  /// `workers` then equal its.
  std::optional<Machine> simulate;
  /// Largest message sent in one piece, bytes; longer ones go split-phase. 256 B to 1 GiB, default
  /// 16 KiB.
  std::size_t message_threshold_bytes = std::size_t{16} << 10;
  /// Memory of unsent messages past which a sender is held back: its rank makes progress and runs
  /// other handlers before the call returns (A3). 4 KiB to 1 TiB, default 16 MiB.
  std::size_t high_water_bytes = std::size_t{16} << 20;
  /// Memory for messages that have arrived and wait, past which a rank stops its senders (A3). 64
  /// KiB to 1 TiB, default 8 MiB. Inside one process messages stay the sender's memory: its
  /// high-water mark bounds them.
  std::size_t receive_memory_bytes = std::size_t{8} << 20;
  /// Times a message to a moved object is forwarded before the home rank is asked (M7). 1 to 1000,
  /// default 8.
  std::uint32_t max_hops = 8;
  /// How ranks learn where a moved object is (M7).
  LocationPolicy location_policy = LocationPolicy::lazy;
  /// Objects of other homes whose places a rank remembers. 1 to 10^9, default 2^20 (40 MiB).
  std::uint64_t directory_limit = std::uint64_t{1} << 20;
  /// How long the machine of another rank may be silent (its cable pulled, its power gone) before
  /// the job ends, seconds: 2 to 86400, default 60; 0: for ever. For transports that watch the
  /// machines themselves: UCX without a launcher.
  std::uint32_t peer_timeout_seconds = 60;
  /// SIGTERM and SIGINT end the job on all ranks as an error does, so that it leaves its records;
  /// where the program has not installed handlers of its own. roam::run() only. Default on.
  bool catch_signals = true;
  /// The program's name, for traces; roam::run takes it from argv[0].
  std::string program;
  /// What was set other than by default, in order of increasing precedence, overridden settings
  /// included.
  std::vector<GivenOption> given;

  /// Where option `name` (without prefix) got its value, as in GivenOption::origin; "default" if it
  /// was not set.
  [[nodiscard]] std::string origin(std::string_view name) const;
};

/// Workers of each rank when `ranks_here` ranks share this machine: options.workers, or if that is
/// 0 the cores this process may use (affinity mask respected) divided by ranks_here, at least 1.
[[nodiscard]] std::uint32_t workers_per_rank(const Options& options, std::int32_t ranks_here);

struct ParsedArguments {
  Options options;
  /// --roam-help was given; nothing else was looked at. Print options_help() and exit with status
  /// 0.
  bool help = false;
};

/// Takes Roam's options (--roam-NAME VALUE, --roam-NAME=VALUE) out of argv, wherever they stand
/// before a lone "--", and leaves the rest in order; argc shrinks and argv[argc] stays null. Unset
/// ones come from environment variables (ROAM_NAME; empty counts as unset), then from the TOML file
/// of --roam-config or ROAM_CONFIG (keys without prefix), then from `defaults`. An option given
/// twice takes the last value. --roam-ranks and --roam-workers replace those of a simulated machine
/// described in a source of the same or lower precedence. Prints nothing. Throws ConfigError that
/// says what was given where and what is allowed, also for values that another source overrides;
/// argc and argv are then unchanged.
[[nodiscard]] ParsedArguments take_options(int& argc, char** argv, const Options& defaults = {});

/// Same for arguments without the program's name, with `environment` ("NAME=value") instead of the
/// process's.
[[nodiscard]] ParsedArguments take_options(std::vector<std::string>& arguments,
                                           std::span<const std::string> environment,
                                           const Options& defaults = {});

/// Names that an option accepts beyond what is known here, for the help text: {"balancer", {"none",
/// "diffusion"}}.
struct OptionNames {
  std::string option;
  std::vector<std::string> names;
};

/// The text of --roam-help: every option with unit and default, then the lists in `names`.
[[nodiscard]] std::string options_help(std::span<const OptionNames> names = {},
                                       const Options& defaults = {});

}  // namespace roam
