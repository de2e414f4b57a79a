// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <CLI/CLI.hpp>
#include <map>
#include <string>

namespace synthetic {

int read_settings(int argc, char** argv, Settings& settings) {
  CLI::App app(
      "Unevenly loaded mobile objects: a few are heavy, and the first ranks hold them all (PREMA, "
      "section 5.3.1).\nRoam's own options are listed by --roam-help.");
  bool measured = false;
  app.add_option("--objects-per-worker", settings.objects_per_worker, "mobile objects per worker")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--heavy-fraction", settings.heavy_fraction, "part of the objects that is heavy")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app.add_option("--light-seconds", settings.light_seconds, "work of a light object")
      ->check(CLI::Range(1e-9, 1e6))
      ->capture_default_str();
  app.add_option("--factor", settings.factor, "work of a heavy object over that of a light one")
      ->check(CLI::Range(1e-3, 1e6))
      ->capture_default_str();
  app.add_option("--spread", settings.spread, "random variation of each work, as a fraction")
      ->check(CLI::Range(0.0, 0.99))
      ->capture_default_str();
  app.add_option("--object-bytes", settings.object_bytes, "data each object carries")
      ->check(CLI::Range(0.0, 1e9))
      ->capture_default_str();
  app.add_option("--work", settings.work, "time (a spin, or virtual time) or arithmetic")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, Work>{{"time", Work::time}, {"arithmetic", Work::arithmetic}}));
  std::map<std::string, bool> costs{{"given", false}, {"measured", true}};
  app.add_option("--costs", measured, "given (announced with each call) or measured by the runtime")
      ->transform(CLI::CheckedTransformer(costs));
  app.add_option("--seed", settings.seed, "of the random variation")->capture_default_str();
  app.add_option("--most-ratio", settings.most_ratio,
                 "exit with status 1 if makespan / mean load is larger (0: never)")
      ->check(CLI::Range(0.0, 1e9))
      ->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  settings.costs_given = !measured;
  return -1;
}

}  // namespace synthetic
