// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace amr_steps {

namespace {

void add_load_options(CLI::App& app, Settings& settings) {
  app.add_option("--cells", settings.cells,
                 "cells of each rank, with commas between; ranks beyond have as many as the last")
      ->delimiter(',')
      ->check(CLI::Range(0, 10'000'000))
      ->capture_default_str();
  app.add_option("--steps", settings.steps, "time steps")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--warm-up", settings.warm_up, "steps at first that the summary leaves out")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  app.add_option("--task-seconds", settings.task_seconds, "the prediction of a cell takes")
      ->check(CLI::Range(0.0, 1e3))
      ->capture_default_str();
  app.add_option("--other-share", settings.other_share,
                 "part of a cell's time that is no prediction and stays on its rank")
      ->check(CLI::Range(0.0, 0.9))
      ->capture_default_str();
  app.add_option("--input-bytes", settings.input_bytes, "of a prediction")
      ->check(CLI::Range(8, 1'000'000'000))
      ->capture_default_str();
  app.add_option("--output-bytes", settings.output_bytes, "of a prediction")
      ->check(CLI::Range(8, 1'000'000'000))
      ->capture_default_str();
}

}  // namespace

int read_settings(int argc, char** argv, Settings& settings) {
  CLI::App app(
      "Time steps over cells of an adaptive mesh, some ranks having more of them than others: a "
      "prediction for each cell,\nwhich other ranks may compute, then the exchange with neighbours "
      "and the reduction of the time step.\nRoam's own options are listed by --roam-help.");
  add_load_options(app, settings);
  Delay delay;
  auto* const rank =
      app.add_option("--delayed-rank", delay.rank, "a rank that is held up now and then")
          ->check(CLI::Range(0, 1'000'000));
  app.add_option("--delay-seconds", delay.seconds, "for so long")
      ->needs(rank)
      ->check(CLI::Range(0.0, 1e3));
  app.add_option("--delay-every", delay.every, "in every so many steps")
      ->needs(rank)
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--csv", settings.csv, "a line for each step");
  app.add_flag("--show-steps", settings.shows_steps, "prints what each step took");
  app.add_option("--least-speedup", settings.least_speedup,
                 "exit with status 1 if steps were less than so many times as fast as without "
                 "offloading they could be")
      ->check(CLI::Range(0.0, 1e3));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (rank->count() > 0) settings.delay = delay;
  return -1;
}

std::uint32_t cells_of(const Settings& settings, std::int32_t rank) {
  if (settings.cells.empty()) return 0;
  return settings.cells[std::min(static_cast<std::size_t>(rank), settings.cells.size() - 1)];
}

double longest_seconds(const Settings& settings, std::int32_t ranks, std::uint32_t workers) {
  double longest = 0;
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    const double cells = cells_of(settings, rank);
    longest = std::max(longest, cells * settings.task_seconds / (1 - settings.other_share));
  }
  return longest / workers;
}

double mean_seconds(const Settings& settings, std::int32_t ranks, std::uint32_t workers) {
  double sum = 0;
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    const double cells = cells_of(settings, rank);
    sum += cells * settings.task_seconds / (1 - settings.other_share);
  }
  return sum / ranks / workers;
}

}  // namespace amr_steps
