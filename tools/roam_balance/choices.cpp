// SPDX-License-Identifier: Apache-2.0
#include "choices.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <map>

#include "roam/balance/plugin_library.hpp"
#include "roam/core/error.hpp"
#include "roam/core/plugin_choice.hpp"
#include "support/data_files.hpp"

namespace roam_balance {

namespace {

std::string list_of_strategies() {
  std::string text = "Strategies (NAME or NAME:parameter=value,...):";
  for (const auto* kind : roam::placement::strategies()) {
    text += "\n  " + kind->name + "  " + kind->description;
    for (const auto& parameter : kind->parameters) {
      text += "\n      " + parameter.name + "=" + parameter.default_value + "  " +
              parameter.description;
    }
  }
  return text;
}

std::map<std::string, double> units_of_bytes() {
  return {{"B", 1},           {"kB", 1e3},           {"MB", 1e6},
          {"GB", 1e9},        {"TB", 1e12},          {"KiB", 1024},
          {"MiB", 1048576.0}, {"GiB", 1073741824.0}, {"TiB", 1099511627776.0}};
}

}  // namespace

int read_choices(int argc, char** argv, Choices& choices) {
  CLI::App app(
      "Balances recorded loads: reads the LB data files of a vt or Roam job (JSON, one per rank), "
      "applies strategies\nto each phase, and prints what they reach and what they move.",
      "roam-balance");
  std::vector<std::string> paths;
  std::vector<std::string> strategies;
  app.add_option("files", paths, "data files, or folders of them")->required();
  app.add_option("-s,--strategy", strategies,
                 "a strategy, or the path of a library that brings one; several are compared; all: "
                 "every one")
      ->default_val(std::vector<std::string>{"refine"});
  app.add_option("-p,--phase", choices.phase, "this phase alone is read, balanced, and written")
      ->check(CLI::NonNegativeNumber);
  app.add_option("-m,--memory", choices.memory_bytes,
                 "what each rank has of memory, in bytes or with a unit (8GB, 512MiB): a limit for "
                 "every strategy,\nif the data says what objects need")
      ->transform(CLI::AsNumberWithUnit(units_of_bytes()))
      ->check(CLI::PositiveNumber);
  std::string machine;
  app.add_option("--machine", machine,
                 "the machine that the ranks are on: a description with [[network]] levels, as for "
                 "--roam-simulate;\nstrategies that heed it know which ranks are near each other, "
                 "and each row tells bytes by level");
  app.add_option("-o,--output", choices.output,
                 "write the data with the objects placed by the (one) strategy to this folder; all "
                 "else stays as it\nwas read, compression included");
  app.footer(list_of_strategies());
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int status = app.exit(error);
    return status == 0 ? 0 : 2;
  }
  const bool is_all = std::ranges::find(strategies, "all") != strategies.end();
  if (is_all) {
    strategies.clear();
    for (const auto* kind : roam::placement::strategies()) strategies.push_back(kind->name);
  }
  for (const std::string& text : strategies) {
    const roam::PluginChoice choice =
        roam::balance::load_balancer(roam::parse_plugin_choice(text), "--strategy");
    choices.strategies.push_back({text, roam::placement::make_strategy(choice), !is_all});
  }
  if (!choices.output.empty() && choices.strategies.size() != 1) {
    throw roam::ConfigError("--output: give one --strategy, whose placement is to be written");
  }
  if (!machine.empty()) choices.machine = roam::read_machine(machine, "--machine");
  choices.paths = roam_tools::files_of(paths);
  return -1;
}

}  // namespace roam_balance
