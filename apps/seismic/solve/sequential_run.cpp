// SPDX-License-Identifier: Apache-2.0
#include "solve/sequential_run.hpp"

#include <chrono>
#include <cmath>

namespace seismic {
namespace {

/// The greatest number of divisions that a box or its cells ask for.
int wanted_level(const std::vector<RefinedBox>& boxes, const Point& lower, double size) {
  const double tolerance = 1e-9 * size;
  int level = 0;
  for (const RefinedBox& box : boxes) {
    bool overlaps = true;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      overlaps = overlaps && lower[axis] + size > box.lower[axis] + tolerance &&
                 lower[axis] < box.upper[axis] - tolerance;
    }
    if (overlaps) level = std::max(level, box.levels);
  }
  return level;
}

}  // namespace

Problem make_problem(const Settings& settings) {
  Problem problem;
  Spacetree tree(settings.grid);
  tree.refine(
      [&](const Point& lower, double size) { return wanted_level(settings.refined, lower, size); });
  problem.mesh = make_mesh(tree);
  const LayeredModel model(settings.layers);
  problem.material = [model](const Point& point) { return model.at(point[2]); };
  problem.boundaries = settings.boundaries;
  problem.flux = settings.flux;
  if (settings.damping_thickness > 0.0) {
    problem.damping = {
        settings.damping_thickness,
        damping_rate(settings.damping_thickness, model.fastest(), settings.damping_remainder)};
  }
  problem.sources = settings.sources;
  return problem;
}

SequentialRun::SequentialRun(const Settings& settings, InstructionSet set)
    : solver_(make_problem(settings), settings.order, set),
      receivers_(solver_.mesh(), solver_.basis(), settings.receivers),
      samples_(static_cast<std::int64_t>(std::ceil(settings.end / settings.sampling - 1e-9))),
      steps_per_sample_(static_cast<std::int64_t>(
          std::ceil(settings.sampling / solver_.longest_step(settings.step_factor)))) {
  figures_.cells = solver_.mesh().cells.size();
  figures_.step = settings.sampling / static_cast<double>(steps_per_sample_);
  figures_.steps = samples_ * steps_per_sample_;
  figures_.operations = solver_.operations() * static_cast<double>(figures_.steps);
  figures_.unknowns =
      static_cast<double>(figures_.cells) * quantities * std::pow(settings.order + 1, 3);
  solver_.set_step(figures_.step);
}

void SequentialRun::record() {
  receivers_.record([this](CellIndex cell) { return solver_.state(cell); });
}

void SequentialRun::run(const Progress& progress) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  record();
  for (std::int64_t sample = 0; sample < samples_; ++sample) {
    solver_.advance(steps_per_sample_);
    record();
    figures_.wall = std::chrono::duration<double>(Clock::now() - begin).count();
    if (progress) progress(solver_.time(), figures_.wall);
  }
}

}  // namespace seismic
