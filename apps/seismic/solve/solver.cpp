// SPDX-License-Identifier: Apache-2.0
#include "solve/solver.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace seismic {
namespace {

Patch whole_patch(Problem&& problem, int order, InstructionSet set) {
  std::vector<PlacedSource> sources = place_sources(problem.mesh, problem.boundaries, problem.map,
                                                    problem.sources, problem.support);
  const auto cells = static_cast<CellIndex>(problem.mesh.cells.size());
  return {problem, std::move(problem.mesh), cells, std::move(sources), order, set};
}

}  // namespace

Solver::Solver(Problem problem, int order, InstructionSet set, double time)
    : map_(problem.map),
      support_(problem.support),
      patch_(whole_patch(std::move(problem), order, set)),
      scratch_(patch_.kernels().scratch_size()),
      time_(time) {}

double Solver::longest_step(double factor) const {
  return factor * longest_stable_step(mesh(), materials());
}

void Solver::set_step(double step) {
  step_ = step;
  patch_.set_step(step);
}

void Solver::advance(std::int64_t steps) {
  if (!(step_ > 0.0)) throw std::logic_error("Solver::advance before set_step");
  const auto cells = static_cast<CellIndex>(mesh().cells.size());
  patch_.begin_step(time_);
  for (CellIndex cell = 0; cell < cells; ++cell) patch_.predict(cell, scratch_.data());
  for (std::int64_t left = steps; left > 0; --left) {
    patch_.solve_faces();
    time_ += step_;
    if (left > 1) patch_.begin_step(time_);
    for (CellIndex cell = 0; cell < cells; ++cell) {
      patch_.correct(cell);
      if (left > 1) patch_.predict(cell, scratch_.data());
    }
  }
}

double Solver::energy() const {
  const Layout& layout = kernels().layout;
  double total = 0.0;
  for (std::size_t k = 0; k < mesh().cells.size(); ++k) {
    const auto cell = static_cast<CellIndex>(k);
    const double size = mesh().cells[k].size;
    double sum = 0.0;
    for (int z = 0; z < layout.nodes; ++z) {
      for (int y = 0; y < layout.nodes; ++y) {
        for (int x = 0; x < layout.nodes; ++x) {
          const int node = layout.at(x, y, z);
          const auto value = [&](int q) { return state(cell)[q * layout.quantity() + node]; };
          const Elasticity e = materials().at_node(cell, node);
          const double kinetic =
              value(vx) * value(vx) + value(vy) * value(vy) + value(vz) * value(vz);
          const double trace = value(sxx) + value(syy) + value(szz);
          double squares = 0.0;
          for (int q = sxx; q <= syz; ++q) squares += (q >= sxy ? 2.0 : 1.0) * value(q) * value(q);
          const double elastic =
              (squares - e.lambda / (3.0 * e.lambda + 2.0 * e.mu) * trace * trace) / (2.0 * e.mu);
          sum += basis().weight(x) * basis().weight(y) * basis().weight(z) * 0.5 *
                 (kinetic / e.inverse_density + elastic);
        }
      }
    }
    total += sum * size * size * size;
  }
  return total;
}

double Solver::operations() const {
  return static_cast<double>(mesh().cells.size()) *
         (kernels().predict_operations() + kernels().correct_operations());
}

}  // namespace seismic
