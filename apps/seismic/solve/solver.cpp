// SPDX-License-Identifier: Apache-2.0
#include "solve/solver.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace seismic {

Solver::Solver(Problem problem, int order, InstructionSet set, double time)
    : problem_(std::move(problem)),
      basis_(order),
      kernels_(make_kernels(order, set)),
      materials_(problem_.mesh, basis_, problem_.material, problem_.map),
      sources_(problem_.mesh, basis_, problem_.boundaries, problem_.map, materials_,
               problem_.sources),
      cell_stride_(aligned_size(kernels_.layout.cell())),
      trace_stride_(aligned_size(kernels_.layout.traces())),
      states_(cell_stride_ * problem_.mesh.cells.size()),
      traces_(trace_stride_ * problem_.mesh.cells.size()),
      scratch_(kernels_.scratch_size()),
      coarse_(2 * aligned_size(kernels_.layout.face()) + kernels_.layout.face()),
      time_(time) {
  const int refinement = problem_.mesh.grid.refinement;
  for (int part = 0; part < refinement; ++part) {
    parts_.push_back(make_part_operators(basis_, part, refinement));
  }
}

double Solver::longest_step(double factor) const {
  double step = 0.0;
  for (std::size_t k = 0; k < mesh().cells.size(); ++k) {
    const double here = mesh().cells[k].size / materials_.speed_bound(static_cast<CellIndex>(k));
    step = k == 0 ? here : std::min(step, here);
  }
  return factor * step;
}

void Solver::set_step(double step) {
  step_ = step;
  damping_ = Damping(mesh(), basis_, problem_.boundaries, problem_.damping, step);
}

double* Solver::state(CellIndex cell) {
  return states_.data() + static_cast<std::size_t>(cell) * cell_stride_;
}

const double* Solver::state(CellIndex cell) const {
  return states_.data() + static_cast<std::size_t>(cell) * cell_stride_;
}

double* Solver::trace(CellIndex cell, int face) {
  return traces_.data() + static_cast<std::size_t>(cell) * trace_stride_ +
         static_cast<std::size_t>(face) * kernels_.layout.face();
}

FaceSide Solver::side(CellIndex cell, int face) {
  FaceSide result = materials_.face(cell, face);
  result.trace = trace(cell, face);
  return result;
}

void Solver::predict(CellIndex cell) {
  const auto& sources = sources_.in(cell);
  PredictInput in{state(cell), materials_.cell(cell),
                  1.0 / mesh().cells[static_cast<std::size_t>(cell)].size, step_};
  in.sources = sources.data();
  in.source_count = sources.size();
  kernels_.predict(kernels_.operators, in, {state(cell), trace(cell, 0)}, scratch_.data());
}

void Solver::solve(int direction, const double* normal, const FaceSide& lower,
                   const FaceSide& upper) {
  if (normal != nullptr) {
    kernels_.riemann_tilted(normal, lower, upper);
  } else {
    kernels_.riemann(problem_.flux, direction, lower, upper);
  }
}

void Solver::solve_faces() {
  for (const InnerFace& face : mesh().inner) {
    const int below = 2 * face.direction + 1, above = 2 * face.direction;
    // Cells share their faces' shapes; a cube has those of cubes.
    const double* normal = materials_.normal(face.lower, below);
    if (normal == nullptr) normal = materials_.normal(face.upper, above);
    solve(face.direction, normal, side(face.lower, below), side(face.upper, above));
  }
  for (const BoundaryFace& face : mesh().boundary) {
    const int index = 2 * face.direction + face.side;
    const Reflection reflects = reflection(problem_.boundaries[static_cast<std::size_t>(index)]);
    const double* normal = materials_.normal(face.cell, index);
    if (normal != nullptr) {
      kernels_.riemann_boundary_tilted(reflects, normal, face.side, side(face.cell, index));
    } else {
      kernels_.riemann_boundary(reflects, face.direction, face.side, side(face.cell, index));
    }
  }
  for (const HangingFace& face : mesh().hanging) solve_hanging(face);
}

void Solver::solve_hanging(const HangingFace& face) {
  const std::size_t size = aligned_size(kernels_.layout.face());
  double* beside = coarse_.data();
  double* sum = beside + size;
  double* rows = sum + size;
  std::fill_n(sum, kernels_.layout.face(), 0.0);
  const int coarse_face = 2 * face.direction + face.side;
  const int fine_face = 2 * face.direction + 1 - face.side;
  const FaceSide coarse = side(face.coarse, coarse_face);
  const auto parts = parts_.size();
  for (std::size_t part = 0; part < parts * parts; ++part) {
    const PartOperators& along_a = parts_[part % parts];
    const PartOperators& along_b = parts_[part / parts];
    FaceSide coarse_part = coarse;
    coarse_part.trace = beside;
    kernels_.interpolate(along_a, along_b, coarse.trace, beside, rows);
    const FaceSide fine = side(face.fine[part], fine_face);
    const double* normal = materials_.normal(face.fine[part], fine_face);
    if (face.side == 1) {
      solve(face.direction, normal, coarse_part, fine);
    } else {
      solve(face.direction, normal, fine, coarse_part);
    }
    kernels_.project(along_a, along_b, beside, sum, rows);
  }
  std::copy_n(sum, kernels_.layout.face(), coarse.trace);
}

void Solver::correct(CellIndex cell) {
  const CorrectInput in{trace(cell, 0), materials_.cell(cell),
                        1.0 / mesh().cells[static_cast<std::size_t>(cell)].size, step_,
                        damping_.cell(cell)};
  kernels_.correct(kernels_.operators, in, state(cell));
}

void Solver::advance(std::int64_t steps) {
  if (!(step_ > 0.0)) throw std::logic_error("Solver::advance before set_step");
  const auto cells = static_cast<CellIndex>(mesh().cells.size());
  sources_.begin_step(basis_, time_, step_);
  for (CellIndex cell = 0; cell < cells; ++cell) predict(cell);
  for (std::int64_t left = steps; left > 0; --left) {
    solve_faces();
    time_ += step_;
    if (left > 1) sources_.begin_step(basis_, time_, step_);
    for (CellIndex cell = 0; cell < cells; ++cell) {
      correct(cell);
      if (left > 1) predict(cell);
    }
  }
}

double Solver::energy() const {
  const Layout& layout = kernels_.layout;
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
          const Elasticity e = materials_.at_node(cell, node);
          const double kinetic =
              value(vx) * value(vx) + value(vy) * value(vy) + value(vz) * value(vz);
          const double trace = value(sxx) + value(syy) + value(szz);
          double squares = 0.0;
          for (int q = sxx; q <= syz; ++q) squares += (q >= sxy ? 2.0 : 1.0) * value(q) * value(q);
          const double elastic =
              (squares - e.lambda / (3.0 * e.lambda + 2.0 * e.mu) * trace * trace) / (2.0 * e.mu);
          sum += basis_.weight(x) * basis_.weight(y) * basis_.weight(z) * 0.5 *
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
         (kernels_.predict_operations() + kernels_.correct_operations());
}

}  // namespace seismic
