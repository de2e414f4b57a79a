// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "serial.hpp"

namespace stencil3d {

void check(const Settings& settings, const Outcome& outcome) {
  // Each step rounds six sums of values not above 1, and the mean once.
  const double allowed = 1e-15 * static_cast<double>(settings.steps + 1);
  if (!(outcome.largest_error <= allowed)) {
    throw roam::Error("a cell differs by " + std::to_string(outcome.largest_error) +
                      " from the mode in closed form");
  }
  if (settings.is_checked && outcome.fingerprint != serial_outcome(settings).fingerprint) {
    throw roam::Error("the cube is not as computed serially");
  }
}

void report(const Settings& settings, const support::RunFigures& figures, const Outcome& outcome) {
  const auto [nx, ny, nz] = settings.cells;
  const auto [bx, by, bz] = settings.blocks;
  const Mode mode{settings.cells, settings.waves};
  const double amplitude = std::pow(mode.decay(), static_cast<double>(settings.steps));
  figures.print_job();
  std::printf("blocks                 %14" PRId64 "   %" PRId64 " x %" PRId64 " x %" PRId64 "\n",
              bx * by * bz, bx, by, bz);
  std::printf("cells                  %14" PRId64 "   %" PRId64 " x %" PRId64 " x %" PRId64 "\n",
              nx * ny * nz, nx, ny, nz);
  std::printf("steps                  %14" PRId64 "\n", settings.steps);
  figures.print_times();
  std::printf("messages               %14" PRIu64 "\n", figures.run.messages_sent);
  std::printf("amplitude of the mode  %14.6g\n", amplitude);
  std::printf("largest error          %14.3g   of 1\n", outcome.largest_error);
  std::printf("fingerprint %016" PRIx64 "%s\n", outcome.fingerprint,
              settings.is_checked ? ", as computed serially" : "");
  if (settings.json.empty()) return;
  support::write_json(figures.json("stencil3d", {{"blocks", bx * by * bz},
                                                 {"cells", nx * ny * nz},
                                                 {"steps", settings.steps},
                                                 {"largest_error", outcome.largest_error}}),
                      settings.json);
}

}  // namespace stencil3d
