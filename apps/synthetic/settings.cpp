// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>

#include "costs_file.hpp"

namespace synthetic {

int read_settings(int argc, char** argv, Settings& settings) {
  CLI::App app(
      "Unevenly loaded mobile objects: a few are heavy, and the first ranks hold them all (PREMA, "
      "section 5.3.1).\nRoam's own options are listed by --roam-help.");
  std::string costs_file;
  double costs_scale = 1;
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
  std::map<std::string, Announced> announced{{"given", Announced::seconds},
                                             {"estimated", Announced::weight},
                                             {"measured", Announced::nothing}};
  app.add_option("--costs", settings.announced,
                 "given (announced with each call), estimated (the weights of --costs-file), or "
                 "measured by the runtime")
      ->transform(CLI::CheckedTransformer(announced));
  app.add_option("--costs-file", costs_file,
                 "objects as recorded by mesh_refine --write-costs: lines seconds,weight,bytes");
  app.add_option("--costs-scale", costs_scale, "their work takes so many times as long here")
      ->check(CLI::Range(1e-9, 1e9))
      ->capture_default_str();
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
  if (!costs_file.empty()) {
    try {
      settings.costs = read_costs(costs_file, costs_scale);
    } catch (const std::runtime_error& error) {
      std::fprintf(stderr, "synthetic: --costs-file: %s\n", error.what());
      return 2;
    }
  }
  return -1;
}

}  // namespace synthetic
