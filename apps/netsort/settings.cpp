// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <CLI/CLI.hpp>
#include <fstream>
#include <string>

namespace netsort {

namespace {

// Checks combinations of options.
void check_together(const Settings& settings) {
  if (settings.integers % settings.block_size != 0) {
    throw CLI::ValidationError(
        "--integers", std::to_string(settings.integers) + " integers do not make whole blocks of " +
                          std::to_string(settings.block_size) +
                          "; all blocks have to have the same size for the network to sort");
  }
  if (!settings.json.empty() && !std::ofstream(settings.json, std::ios::app)) {
    throw CLI::ValidationError("--json", settings.json + " cannot be written");
  }
}

}  // namespace

int read_settings(int argc, char** argv, Settings& settings) {
  CLI::App app(
      "Sorts integers on a network of compare-exchange steps between neighbours (DMCS, section "
      "6.3).\nRoam's own options are listed by --roam-help.");
  std::string variant = "static";
  app.add_option("--variant", variant,
                 "static (blocks stay) or mobile (a move to a random rank after each comparison)")
      ->check(CLI::IsMember({"static", "mobile"}))
      ->capture_default_str();
  app.add_option("--integers", settings.integers, "how many are sorted")
      ->check(CLI::Range(1, 100'000'000))
      ->capture_default_str();
  app.add_option("--block-size", settings.block_size, "integers per block")
      ->check(CLI::Range(1, 100'000'000))
      ->capture_default_str();
  app.add_option("--largest", settings.largest, "the integers are random from 0 to this")
      ->check(CLI::Range(0, 2'000'000'000))
      ->capture_default_str();
  app.add_option("--comparison-seconds", settings.comparison_seconds,
                 "added to each comparison of two integers: a spin, or virtual time")
      ->check(CLI::Range(0.0, 1e3))
      ->capture_default_str();
  app.add_option("--seed", settings.seed, "of integers, places and moves")->capture_default_str();
  app.add_option("--json", settings.json, "writes the figures to this file");
  try {
    app.parse(argc, argv);
    check_together(settings);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  settings.variant = variant == "mobile" ? Variant::mobile : Variant::in_place;
  return -1;
}

}  // namespace netsort
