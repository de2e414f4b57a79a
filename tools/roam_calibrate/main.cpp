// SPDX-License-Identifier: Apache-2.0
// Measures this machine and writes it down for --roam-simulate:
//   mpirun -n 2 roam-calibrate --output machine.toml
//   roam-calibrate --roam-ranks 2 --roam-workers 1
#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <roam/roam.hpp>
#include <string>

#include "machine_text.hpp"
#include "measure.hpp"

namespace roam_calibrate {

namespace {

/// Returns the exit status, or a negative number to continue.
int read_settings(int argc, char** argv, Settings& settings) {
  CLI::App app(
      "Measures what handlers and messages cost on this machine, between rank 0 and the ranks 1, "
      "2, "
      "4, ..., and writes a machine description for --roam-simulate.\nRoam's own options are "
      "listed "
      "by --roam-help.");
  app.add_option("--output", settings.output, "file to write (default: standard output)");
  app.add_option("--repeats", settings.repeats, "of each measurement, of which the median counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int status = app.exit(error);
    return status == 0 ? 0 : 2;
  }
  if (!settings.output.empty() && !std::ofstream(settings.output, std::ios::app)) {
    std::fprintf(stderr, "roam-calibrate: --output: cannot write %s\n", settings.output.c_str());
    return 2;
  }
  return -1;
}

roam::Task<> calibrate(roam::Runtime& rt, const Settings& settings) {
  if (rt.size() < 2)
    throw roam::ConfigError("roam-calibrate needs 2 ranks or more: --roam-ranks 2");
  const Costs costs = co_await measure(rt, settings.repeats);
  if (rt.rank() != 0) co_return;
  const roam::Machine machine = machine_of(costs, rt.size(), rt.workers());
  const std::string origin = "Measured by roam-calibrate, transport " + rt.options().transport +
                             ", medians of " + std::to_string(settings.repeats) + ".";
  const std::string text = machine_text(machine, origin);
  if (settings.output.empty()) {
    std::fputs(text.c_str(), stdout);
    co_return;
  }
  std::ofstream file(settings.output, std::ios::trunc);
  file << text;
  if (!file.flush()) throw roam::Error("cannot write " + settings.output);
}

}  // namespace
}  // namespace roam_calibrate

int main(int argc, char** argv) {
  return roam::main(argc, argv, roam_calibrate::read_settings, roam_calibrate::calibrate);
}
