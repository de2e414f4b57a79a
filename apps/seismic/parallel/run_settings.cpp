// SPDX-License-Identifier: Apache-2.0
#include "parallel/run_settings.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>
#include <new>
#include <stdexcept>

#include "kernels/measure.hpp"
#include "output/progress_line.hpp"
#include "output/seismograms.hpp"
#include "settings/settings_error.hpp"
#include "solve/cell_shape.hpp"
#include "solve/sequential_run.hpp"

namespace seismic {
namespace {

InstructionSet instruction_set(const std::string& name) {
  if (name == "baseline") return InstructionSet::baseline;
  if (name == "avx2") return InstructionSet::avx2;
  return best_instruction_set();
}

void show_figures(const SequentialRun& run) {
  const RunFigures& figures = run.figures();
  if (figures.least_cells == figures.most_cells) {
    std::printf("cells             %zu\n", figures.most_cells);
  } else {
    std::printf("cells             %zu to %zu\n", figures.least_cells, figures.most_cells);
  }
  std::printf("steps             %lld\n", static_cast<long long>(figures.steps));
  std::printf("simulated         %.6g s\n", run.solver().time());
  std::printf("wall clock        %.2f s\n", figures.wall);
  std::printf("unknowns a second %.4g million\n", figures.updates / figures.wall * 1e-6);
  std::printf("speed             %.2f GFlop/s\n", figures.operations / figures.wall * 1e-9);
}

void run_sequentially(const RunSettings& settings) {
  const Settings& waves = settings.waves;
  SequentialRun run(waves, instruction_set(settings.kernels));
  ProgressLine progress(waves.end);
  run.run([&](double time, double wall) { progress.show(time, wall); });
  write_seismograms(waves.receivers, run.receivers().samples(), waves.sampling, waves.folder);
  show_figures(run);
}

/// Throws the errors that ranks would find in the mesh.
void check_mesh(const Settings& waves) {
  const Mesh mesh = make_mesh(make_tree(waves));
  const Basis basis(waves.order);
  if (waves.map.is_identity()) return;
  for (const Cell& cell : mesh.cells) static_cast<void>(make_shape(cell, basis, waves.map));
}

void add_options(CLI::App& app, RunSettings& settings, bool& measures) {
  app.add_option("file", settings.file, "parameter file (TOML)");
  app.add_option("--folder", settings.folder, "write there, not where the file says");
  app.add_option("--order", settings.order, "instead of the file's")
      ->check(CLI::Range(lowest_order, highest_order));
  app.add_option("--kernels", settings.kernels, "instruction set of the kernels, on all ranks")
      ->check(CLI::IsMember({"auto", "baseline", "avx2"}))
      ->capture_default_str();
  app.add_option(
         "--pieces", settings.pieces,
         "of the mesh, each a mobile object (default: four for each rank, eight with a balancer)")
      ->check(CLI::Range(1, 1'000'000));
  const std::map<std::string, PieceWeight> weights{{"cells", PieceWeight::cells},
                                                   {"roots", PieceWeight::roots}};
  app.add_option("--partition", settings.weight,
                 "pieces have equal numbers of cells, or of cells of the coarse grid")
      ->transform(CLI::CheckedTransformer(weights));
  app.add_option("--cells-of-task", settings.cells_of_task,
                 "predicted together as one task (default: as many as take about 0.2 ms)")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--phase-steps", settings.phase_steps,
                 "steps between the ends of phases, if --roam-balancer is not none")
      ->check(CLI::Range(1, 1'000'000'000))
      ->capture_default_str();
  app.add_option("--report-steps", settings.report_steps,
                 "a line each so many steps: their time, waits, tasks offloaded; and steps.csv, "
                 "meshes.csv")
      ->check(CLI::Range(1, 1'000'000'000));
  app.add_flag("--check", settings.is_checked,
               "compare all seismograms with the sequential solver's, bit by bit");
  app.add_flag("--sequential", settings.is_sequential, "the sequential solver alone, without Roam");
  app.add_flag("--measure-kernels", measures,
               "measure all orders' kernels against the processor's peak instead");
}

/// Like read_run_settings, but errors in the parameter file are thrown.
int read(int argc, char** argv, RunSettings& settings) {
  bool measures = false;
  CLI::App app(
      "Seismic waves by ADER-DG on adaptive meshes of cubes. --roam-balancer moves pieces of "
      "the mesh, --roam-offload predictions of cells; --roam-help lists Roam's options.");
  add_options(app, settings, measures);
  try {
    app.parse(argc, argv);
    if (settings.file.empty() && !measures) throw CLI::RequiredError("file");
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (measures) {
    measure_kernels(instruction_set(settings.kernels));
    return 0;
  }
  settings.waves = load_settings(settings.file, settings.order);
  if (!settings.folder.empty()) settings.waves.folder = settings.folder;
  check_mesh(settings.waves);
  prepare_folder(settings.waves.folder);
  if (!settings.is_sequential) return -1;
  run_sequentially(settings);
  return 0;
}

}  // namespace

int read_run_settings(int argc, char** argv, RunSettings& settings) {
  try {
    return read(argc, argv, settings);
  } catch (const SettingsError& error) {
    std::fprintf(stderr, "seismic: %s\n", error.what());
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "seismic: %s: %s\n", settings.file.c_str(), error.what());
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "seismic: %s: the mesh does not fit into memory\n", settings.file.c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "seismic: %s\n", error.what());
    return 1;
  }
  return 2;
}

}  // namespace seismic
