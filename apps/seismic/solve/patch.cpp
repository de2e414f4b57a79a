// SPDX-License-Identifier: Apache-2.0
#include "solve/patch.hpp"

#include <algorithm>
#include <utility>

namespace seismic {

Patch::Patch(const Medium& medium, Mesh mesh, CellIndex own, std::vector<PlacedSource> sources,
             int order, InstructionSet set)
    : mesh_(std::move(mesh)),
      boundaries_(medium.boundaries),
      flux_(medium.flux),
      damping_layer_(medium.damping),
      basis_(order),
      kernels_(make_kernels(order, set)),
      materials_(mesh_, basis_, medium.material, medium.map),
      sources_(mesh_, basis_, materials_, std::move(sources)),
      own_(own),
      state_stride_(aligned_size(kernels_.layout.cell())),
      trace_stride_(aligned_size(kernels_.layout.traces())),
      states_(state_stride_ * static_cast<std::size_t>(own)),
      traces_(trace_stride_ * mesh_.cells.size()),
      coarse_(2 * aligned_size(kernels_.layout.face()) + kernels_.layout.face()) {
  for (int part = 0; part < mesh_.grid.refinement; ++part) {
    parts_.push_back(make_part_operators(basis_, part, mesh_.grid.refinement));
  }
}

double* Patch::trace(CellIndex cell, int face) {
  return traces_.data() + static_cast<std::size_t>(cell) * trace_stride_ +
         static_cast<std::size_t>(face) * kernels_.layout.face();
}

FaceSide Patch::side(CellIndex cell, int face) {
  FaceSide result = materials_.face(cell, face);
  result.trace = trace(cell, face);
  return result;
}

void Patch::set_step(double step) {
  step_ = step;
  damping_ = Damping(mesh_, basis_, boundaries_, damping_layer_, step);
}

void Patch::begin_step(double time) { sources_.begin_step(basis_, time, step_); }

PredictInput Patch::prediction(CellIndex cell) const {
  const auto& sources = sources_.in(cell);
  PredictInput in{state(cell), materials_.cell(cell),
                  1.0 / mesh_.cells[static_cast<std::size_t>(cell)].size, step_};
  in.sources = sources.data();
  in.source_count = sources.size();
  return in;
}

void Patch::predict(CellIndex cell, double* scratch) {
  kernels_.predict(kernels_.operators, prediction(cell), {state(cell), trace(cell, 0)}, scratch);
}

void Patch::solve_faces() {
  for (const InnerFace& face : mesh_.inner) solve(face);
  for (const BoundaryFace& face : mesh_.boundary) solve(face);
  for (const HangingFace& face : mesh_.hanging) solve(face);
}

void Patch::solve(int direction, const double* normal, const FaceSide& lower,
                  const FaceSide& upper) {
  if (normal != nullptr) {
    kernels_.riemann_tilted(normal, lower, upper);
  } else {
    kernels_.riemann(flux_, direction, lower, upper);
  }
}

void Patch::solve(const InnerFace& face) {
  const int below = 2 * face.direction + 1, above = 2 * face.direction;
  // Cells share their faces' shapes; a cube has those of cubes.
  const double* normal = materials_.normal(face.lower, below);
  if (normal == nullptr) normal = materials_.normal(face.upper, above);
  solve(face.direction, normal, side(face.lower, below), side(face.upper, above));
}

void Patch::solve(const BoundaryFace& face) {
  const int index = 2 * face.direction + face.side;
  const Reflection reflects = reflection(boundaries_[static_cast<std::size_t>(index)]);
  const double* normal = materials_.normal(face.cell, index);
  if (normal != nullptr) {
    kernels_.riemann_boundary_tilted(reflects, normal, face.side, side(face.cell, index));
  } else {
    kernels_.riemann_boundary(reflects, face.direction, face.side, side(face.cell, index));
  }
}

void Patch::solve(const HangingFace& face) {
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
    if (face.fine[part] < 0) continue;  // of a coarse cell that is not this patch's own
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

void Patch::correct(CellIndex cell) {
  const CorrectInput in{trace(cell, 0), materials_.cell(cell),
                        1.0 / mesh_.cells[static_cast<std::size_t>(cell)].size, step_,
                        damping_.cell(cell)};
  kernels_.correct(kernels_.operators, in, state(cell));
}

}  // namespace seismic
