// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include "kernels/measure.hpp"
#include "output/seismograms.hpp"
#include "settings/settings.hpp"
#include "settings/settings_error.hpp"
#include "solve/sequential_run.hpp"

namespace seismic {
namespace {

struct Options {
  std::string file;
  std::string folder;  ///< instead of the file's
  std::string kernels = "auto";
  bool measures = false;
};

/// Returns the exit status if the program should end here, else -1.
int read_options(int argc, char** argv, Options& options) {
  CLI::App app("Seismic waves by ADER-DG on adaptive meshes of cubes.");
  app.add_option("file", options.file, "parameter file (TOML)");
  app.add_option("--folder", options.folder, "write there, not where the file says");
  app.add_option("--kernels", options.kernels, "instruction set of the kernels")
      ->check(CLI::IsMember({"auto", "baseline", "avx2"}))
      ->capture_default_str();
  app.add_flag("--measure-kernels", options.measures,
               "measure all orders' kernels against the processor's peak instead");
  try {
    app.parse(argc, argv);
    if (options.file.empty() && !options.measures) throw CLI::RequiredError("file");
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return -1;
}

InstructionSet instruction_set(const std::string& name) {
  if (name == "baseline") return InstructionSet::baseline;
  if (name == "avx2") return InstructionSet::avx2;
  return best_instruction_set();
}

/// One line that is written over and over, on a terminal only.
void show_progress(double end, double time, double wall) {
  if (isatty(STDERR_FILENO) == 0) return;
  std::fprintf(stderr, "\r%5.1f %%  %.3f s of waves in %.0f s, about %.0f s to go   ",
               100.0 * time / end, time, wall, wall * (end / time - 1.0));
  if (time >= end * (1.0 - 1e-9)) std::fputc('\n', stderr);
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

int run(const Options& options) {
  const InstructionSet set = instruction_set(options.kernels);
  if (options.measures) {
    measure_kernels(set);
    return 0;
  }
  Settings settings = load_settings(options.file);
  if (!options.folder.empty()) settings.folder = options.folder;
  SequentialRun run(settings, set);
  prepare_folder(settings.folder);
  run.run([&](double time, double wall) { show_progress(settings.end, time, wall); });
  write_seismograms(run.receivers(), settings.sampling, settings.folder);
  show_figures(run);
  return 0;
}

}  // namespace
}  // namespace seismic

int main(int argc, char** argv) {
  seismic::Options options;
  if (const int status = seismic::read_options(argc, argv, options); status >= 0) return status;
  try {
    return seismic::run(options);
  } catch (const seismic::SettingsError& error) {
    std::fprintf(stderr, "seismic: %s\n", error.what());
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "seismic: %s: %s\n", options.file.c_str(), error.what());
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "seismic: %s: the mesh does not fit into memory\n", options.file.c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "seismic: %s\n", error.what());
    return 1;
  }
  return 2;
}
