// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <CLI/CLI.hpp>

namespace imbalance {

int read_settings(int argc, char** argv, Settings& settings) {
  CLI::App app(
      "Work units whose cost grows linearly over the ranks, in iterations that balancing "
      "strategies "
      "can tell apart (DARMA's simulated imbalance).\nRoam's own options are listed by "
      "--roam-help.");
  app.add_option("--objects-per-rank", settings.objects_per_rank, "mobile objects of each rank")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--iterations", settings.iterations, "phases")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--mean-seconds", settings.mean_seconds,
                 "work of a rank in an iteration, on average")
      ->check(CLI::Range(1e-9, 1e6))
      ->capture_default_str();
  app.add_option("--steepness", settings.steepness, "work of the last rank over that of the first")
      ->check(CLI::Range(1e-3, 1e6))
      ->capture_default_str();
  app.add_option("--spread", settings.spread, "random variation of each work, as a fraction")
      ->check(CLI::Range(0.0, 0.99))
      ->capture_default_str();
  app.add_option("--object-bytes", settings.object_bytes, "data each object carries")
      ->check(CLI::Range(0.0, 1e9))
      ->capture_default_str();
  app.add_option("--seed", settings.seed, "of the random variation")->capture_default_str();
  app.add_option("--json", settings.json, "write the figures to this file");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int status = app.exit(error);
    return status == 0 ? 0 : 2;
  }
  return -1;
}

}  // namespace imbalance
