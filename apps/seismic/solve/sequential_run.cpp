// SPDX-License-Identifier: Apache-2.0
#include "solve/sequential_run.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "model/ground.hpp"

namespace seismic {
namespace {

/// The greatest number of divisions that a box around part of the cell asks for.
int level_in_boxes(const std::vector<RefinedBox>& boxes, const Point& lower, double size) {
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

WantedLevel wanted_level(const Settings& settings) {
  return [boxes = settings.refined](const Point& lower, double size) {
    return level_in_boxes(boxes, lower, size);
  };
}

Spacetree make_tree(const Settings& settings) {
  Spacetree tree(settings.grid);
  tree.refine(wanted_level(settings));
  return tree;
}

Problem make_problem(const Settings& settings) {
  Problem problem;
  const Ground model(settings.layers, settings.material_grid);
  problem.material = [model](const Point& point) { return model.at(point); };
  problem.map = settings.map;
  problem.boundaries = settings.boundaries;
  problem.flux = settings.flux;
  if (settings.damping_thickness > 0.0) {
    problem.damping = {
        settings.damping_thickness,
        damping_rate(settings.damping_thickness, model.fastest(), settings.damping_remainder)};
  }
  problem.sources = settings.sources;
  if (settings.uses_neighbours) {
    problem.support = PointSupport(problem.material, problem.map, settings.order);
  }
  return problem;
}

SequentialRun::SequentialRun(const Settings& settings, InstructionSet set)
    : settings_(settings),
      set_(set),
      tree_(make_tree(settings)),
      solver_(make_solver(0.0)),
      receivers_(solver_->mesh(), solver_->basis(), solver_->map(), settings.receivers,
                 solver_->support()) {
  figures_.least_cells = solver_->mesh().cells.size();
  begin_mesh();
}

std::unique_ptr<Solver> SequentialRun::make_solver(double time) const {
  Problem problem = make_problem(settings_);
  problem.mesh = make_mesh(tree_);
  return std::make_unique<Solver>(std::move(problem), settings_.order, set_, time);
}

void SequentialRun::begin_mesh() {
  steps_per_sample_ = static_cast<std::int64_t>(
      std::ceil(settings_.sampling / solver_->longest_step(settings_.step_factor)));
  solver_->set_step(settings_.sampling / static_cast<double>(steps_per_sample_));
  const std::size_t cells = solver_->mesh().cells.size();
  figures_.least_cells = std::min(figures_.least_cells, cells);
  figures_.most_cells = std::max(figures_.most_cells, cells);
}

void SequentialRun::change_mesh() {
  if (!adapt(tree_, *solver_, settings_.adapt, wanted_level(settings_))) return;
  auto next = make_solver(solver_->time());
  transfer(*solver_, *next);
  solver_ = std::move(next);
  receivers_.relocate(solver_->mesh(), solver_->basis(), solver_->map());
  begin_mesh();
}

void SequentialRun::record() {
  receivers_.record([this](CellIndex cell) { return solver_->state(cell); });
}

void SequentialRun::run(const Progress& progress) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const auto samples =
      static_cast<std::int64_t>(std::ceil(settings_.end / settings_.sampling - 1e-9));
  const auto between =
      static_cast<std::int64_t>(std::round(settings_.adapt.interval / settings_.sampling));
  record();
  for (std::int64_t sample = 0; sample < samples; ++sample) {
    if (between > 0 && sample % between == 0) change_mesh();
    solver_->advance(steps_per_sample_);
    record();
    const auto steps = static_cast<double>(steps_per_sample_);
    figures_.steps += steps_per_sample_;
    figures_.operations += solver_->operations() * steps;
    figures_.updates += static_cast<double>(solver_->mesh().cells.size()) * quantities *
                        std::pow(settings_.order + 1, 3) * steps;
    figures_.wall = std::chrono::duration<double>(Clock::now() - begin).count();
    if (progress) progress(solver_->time(), figures_.wall);
  }
}

}  // namespace seismic
