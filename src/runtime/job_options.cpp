// SPDX-License-Identifier: Apache-2.0
#include "roam/runtime/job_options.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "roam/core/error.hpp"
#include "roam/core/machine.hpp"
#include "roam/core/option_group.hpp"

namespace roam {

namespace {

using core::OptionSetting;
using core::OptionSettings;

std::string check_workers(std::string& text) {
  if (text == "auto") text = "0";
  return text == "0" ? std::string{}
                     : core::whole_number({1, max_workers_per_rank}, ", or auto (0)")(text);
}

std::vector<double> read_numbers(const std::string& text) {
  std::vector<double> numbers;
  std::istringstream list(text);
  for (std::string one; std::getline(list, one, ',');) {
    double value = 0;
    numbers.push_back(core::read_decimal(one, value) ? value : std::nan(""));
  }
  return numbers;
}

std::string check_speeds(std::string& text) {
  const auto is_speed = [](double value) { return value >= 1e-6 && value <= 1e6; };
  const std::vector<double> speeds = read_numbers(text);
  if (!speeds.empty() && text.back() != ',' && std::ranges::all_of(speeds, is_speed)) return {};
  return "allowed is a number from 1e-6 to 1e6, or several as in 1,1,0.5";
}

std::string speeds_text(const JobOptions& options) {
  std::string text;
  for (const double speed : options.speeds)
    text += (text.empty() ? "" : ",") + core::number_text(speed);
  return text;
}

// Applies --roam-ranks and --roam-workers to a machine that is the program's own default.
void adjust_default_machine(JobOptions& options) {
  if (options.ranks_given) options.simulate->ranks = options.ranks;
  if (options.workers > 0) options.simulate->workers_per_rank = options.workers;
  check(*options.simulate, "simulated machine");
}

void take_machine(JobOptions& options, const OptionSettings& settings,
                  const OptionSetting& simulate) {
  options.simulate = read_machine(options.simulate_text, simulate.given.origin);
  std::string origin = simulate.given.origin;
  const OptionSetting* const ranks = settings.in_force("ranks");
  const OptionSetting* const workers = settings.in_force("workers");
  if (ranks != nullptr && ranks->source >= simulate.source) {
    options.simulate->ranks = options.ranks;
    origin += " with " + ranks->given.origin + " " + ranks->given.value;
  }
  if (workers != nullptr && workers->source >= simulate.source && options.workers > 0) {
    options.simulate->workers_per_rank = options.workers;
  }
  check(*options.simulate, origin);
}

void resolve(JobOptions& options, const OptionSettings& settings) {
  options.ranks_given = settings.in_force("ranks") != nullptr;
  if (const OptionSetting* const simulate = settings.in_force("simulate")) {
    take_machine(options, settings, *simulate);
  } else if (options.simulate) {
    adjust_default_machine(options);
  }
  if (!options.simulate) return;
  options.ranks = options.simulate->ranks;
  options.workers = options.simulate->workers_per_rank;
  if (const OptionSetting* const speed = settings.in_force("speed")) {
    throw ConfigError(speed->given.origin + ": a simulated machine has speeds of its own, as in " +
                      "--roam-simulate ranks=4,speed=2 or the key speed of its file");
  }
}

const core::OptionGroup<JobOptions> job_options({"Job"}, [](core::OptionGroup<JobOptions>& group) {
  group.number("ranks", "N", &JobOptions::ranks, {1, static_cast<std::uint64_t>(max_ranks)},
               "Ranks in this process");
  group
      .number("helpers", "N", &JobOptions::helpers, {0, static_cast<std::uint64_t>(max_ranks)},
              "The last N ranks do not run the program: they compute offloaded tasks, and over UCX "
              "without a launcher the job goes on if they are lost")
      .equal_on_all_ranks();
  group.value(
      "workers", "N", check_workers,
      [](JobOptions& options, const std::string& text) {
        (void)core::read_decimal(text, options.workers);
      },
      [](const JobOptions& options) {
        return options.workers == 0 ? "auto" : std::to_string(options.workers);
      },
      "Workers per rank, 1 to " + std::to_string(max_workers_per_rank) +
          "; auto: this machine's cores shared among its ranks");
  group.value(
      "speed", "S[,S..]", check_speeds,
      [](JobOptions& options, const std::string& text) { options.speeds = read_numbers(text); },
      speeds_text,
      "How fast the workers of this process's ranks are, for strategies: one value, or one for "
      "each rank");
  group.text("simulate", "FILE", &JobOptions::simulate_text,
             "a file or an inline machine as in ranks=10,workers=32",
             "Run on a simulated machine in virtual time: a TOML file, or inline as in "
             "ranks=10,workers=32,latency_seconds=2e-6");
  group.number("seed", "N", &JobOptions::seed, {}, "Seed of everything random");
  group.output_file("stuck-graph", &JobOptions::stuck_graph,
                    "If the job is stuck, draw who waits for whom to FILE, in the language of "
                    "Graphviz (dot)");
  group.flag("catch-signals", &JobOptions::catch_signals,
             "SIGTERM and SIGINT end the job in order: on all ranks, its records written");
  group.resolved_by(resolve);
});

}  // namespace

}  // namespace roam
