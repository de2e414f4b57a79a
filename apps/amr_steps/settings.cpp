// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace amr_steps {

namespace {

constexpr std::uint32_t most_cells = 10'000'000;

std::vector<std::vector<double>> read_recorded(const std::string& path) {
  std::vector<std::vector<double>> recorded;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::vector<double>& of_rank = recorded.emplace_back();
    for (double seconds = 0; words >> seconds;) {
      if (!(seconds >= 0)) throw CLI::ValidationError("--recorded-seconds", "seconds below 0");
      of_rank.push_back(seconds);
    }
    if (!words.eof() || of_rank.empty())
      throw CLI::ValidationError("--recorded-seconds", path + " is not lines of numbers");
  }
  if (recorded.empty()) throw CLI::ValidationError("--recorded-seconds", path + " is empty");
  return recorded;
}

void add_load_options(CLI::App& app, Settings& settings) {
  app.add_option("--cells", settings.cells,
                 "cells of each rank, with commas between; ranks beyond have as many as the last")
      ->delimiter(',')
      ->check(CLI::Range(std::uint32_t{0}, most_cells))
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
  app.add_option_function<std::string>(
         "--recorded-seconds",
         [&settings](const std::string& path) { settings.recorded = read_recorded(path); },
         "file with what predictions take instead: for each rank a line of seconds, one after the "
         "other; further ranks begin with the first line again, and steps go on where the last "
         "one ended")
      ->check(CLI::ExistingFile);
  app.add_option("--other-share", settings.other_share,
                 "part of a cell's time that is no prediction and stays on its rank")
      ->check(CLI::Range(0.0, 0.9))
      ->capture_default_str();
  app.add_option("--input-bytes", settings.input_bytes,
                 "of a cell's array, which its prediction reads; with the defaults, a rank of 30 "
                 "cells takes 6 MB")
      ->check(CLI::Range(8, 1'000'000'000))
      ->capture_default_str();
  app.add_option("--output-bytes", settings.output_bytes, "of a prediction's result")
      ->check(CLI::Range(8, 1'000'000'000))
      ->capture_default_str();
}

/// Parses "20:0,729,648": the numbers of cells from step 20 on.
Refinement parse_refinement(const std::string& text) {
  Refinement refinement;
  std::istringstream words(text);
  char colon = 0;
  if (!(words >> refinement.step >> colon) || colon != ':')
    throw CLI::ValidationError("--cells-from", text + " is not STEP:N,N,...");
  std::string word;
  while (std::getline(words, word, ',')) {
    std::istringstream number(word);
    std::uint32_t cells = 0;
    if (word.starts_with('-') || !(number >> cells) || !number.eof() || cells > most_cells)
      throw CLI::ValidationError("--cells-from", word + " is no number of cells");
    refinement.cells.push_back(cells);
  }
  if (refinement.cells.empty())
    throw CLI::ValidationError("--cells-from", text + " is not STEP:N,N,...");
  return refinement;
}

void add_step_options(CLI::App& app, Settings& settings) {
  app.add_option("--optimistic", settings.optimistic,
                 "part of the cells whose next prediction is spawned in the present step, as soon "
                 "as they are corrected")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app.add_option("--spawn-seconds", settings.spawn_seconds,
                 "the traversal of the mesh takes before each task is there")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app.add_flag("--waits-for-master", settings.waits_for_master,
               "ranks say that they wait for rank 0, and rank 0 that it waits for the last of "
               "them, as in a program whose rank 0 collects and distributes; otherwise waits are "
               "measured");
}

void add_output_options(CLI::App& app, Settings& settings) {
  app.add_option("--csv", settings.csv, "a line for each step");
  app.add_option("--json", settings.json, "write all figures to this file");
  app.add_flag("--show-steps", settings.shows_steps, "prints what each step took");
  app.add_option("--least-speedup", settings.least_speedup,
                 "exit with status 1 if steps were less than so many times as fast as without "
                 "offloading they could be")
      ->check(CLI::Range(0.0, 1e3));
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
  add_step_options(app, settings);
  add_output_options(app, settings);
  std::vector<std::string> refinements;
  app.add_option("--cells-from", refinements,
                 "STEP:N,N,...: cells of each rank from this step on, as --cells; may come again")
      ->expected(1)
      ->take_all();
  try {
    app.parse(argc, argv);
    for (const std::string& text : refinements)
      settings.refinements.push_back(parse_refinement(text));
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  std::ranges::stable_sort(settings.refinements, {}, &Refinement::step);
  if (rank->count() > 0) settings.delay = delay;
  return -1;
}

std::uint32_t cells_of(const Settings& settings, std::int32_t rank, std::uint32_t step) {
  const std::vector<std::uint32_t>* cells = &settings.cells;
  for (const Refinement& one : settings.refinements) {
    if (one.step <= step) cells = &one.cells;
  }
  if (cells->empty()) return 0;
  return (*cells)[std::min(static_cast<std::size_t>(rank), cells->size() - 1)];
}

double task_seconds_of(const Settings& settings, std::int32_t rank, std::uint32_t step,
                       std::size_t cell) {
  if (settings.recorded.empty()) return settings.task_seconds;
  const auto again = static_cast<std::size_t>(rank) / settings.recorded.size();
  const auto& of_rank =
      settings.recorded[static_cast<std::size_t>(rank) % settings.recorded.size()];
  const std::size_t cells = cells_of(settings, rank, step);
  return of_rank[(step * cells + cell + again * (cells / 3)) % of_rank.size()];
}

LeastSeconds least_seconds(const Settings& settings, std::int32_t ranks, std::uint32_t workers,
                           std::uint32_t step) {
  LeastSeconds least;
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    const std::uint32_t cells = cells_of(settings, rank, step);
    double here = settings.recorded.empty() ? settings.task_seconds * cells : 0;
    for (std::uint32_t cell = 0; cell < cells && !settings.recorded.empty(); ++cell)
      here += task_seconds_of(settings, rank, step, cell);
    here /= (1 - settings.other_share) * workers;
    least.alone = std::max(least.alone, here);
    least.levelled += here / ranks;
  }
  return least;
}

}  // namespace amr_steps
