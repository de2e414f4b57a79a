// SPDX-License-Identifier: Apache-2.0
#include "output/progress_line.hpp"

#include <unistd.h>

#include <array>
#include <cstdio>

namespace seismic {
namespace {

constexpr double between_lines = 30;  // s, where lines are not overwritten

}  // namespace

ProgressLine::ProgressLine(double end)
    : end_(end), overwrites_(isatty(STDERR_FILENO) != 0), next_(between_lines) {}

void ProgressLine::show(double time, double wall) {
  const bool is_over = time >= end_ * (1.0 - 1e-9);
  if (overwrites_) {
    std::fprintf(stderr, "\r%s   %s", text(time, wall).c_str(), is_over ? "\n" : "");
    return;
  }
  if (wall < next_ || is_over) return;
  next_ = wall + between_lines;
  std::fprintf(stderr, "%s\n", text(time, wall).c_str());
}

std::string ProgressLine::text(double time, double wall) const {
  std::array<char, 128> line{};
  std::snprintf(line.data(), line.size(), "%5.1f %%  %.3f s of waves in %.0f s, about %.0f s to go",
                100.0 * time / end_, time, wall, wall * (end_ / time - 1.0));
  return line.data();
}

}  // namespace seismic
