// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "kernels/layout.hpp"
#include "kernels/material.hpp"
#include "kernels/operators.hpp"

namespace seismic {

/// The material of a cell: the same everywhere, or given per node; and its shape. Arrays are
/// [...][z][y][x], as the quantities of a cell lie in memory.
struct CellMaterial {
  Elasticity uniform;
  const double* varying = nullptr;  ///< [inverse density, lambda, mu], if not null
  /// For a cell whose depth is a function z(x, y, z') of its cube's coordinates: [dz/dz', -dz/dx,
  /// -dz/dy]; null for a cube. `varying` is then given, too, divided by dz/dz'.
  const double* metric = nullptr;
};

/// The effect of a point source on a cell: d(stress)/dt -= moment * shape * rate.
struct CellSource {
  const double* shape;  ///< [z][y][x]: the delta function in the cell's basis, 1/m3
  const double*
      rate;  ///< coefficients of t'^0, t'^1, ... (as many as nodes), t' = 0 to 1 in the step; 1/s
  double moment[6];  ///< N m: xx, yy, zz, xy, xz, yz
};

struct PredictInput {
  const double* state;  ///< Layout::cell()
  CellMaterial material;
  double inverse_size;  ///< 1/m
  double step;          ///< s
  const CellSource* sources = nullptr;
  std::size_t source_count = 0;
};

struct PredictOutput {
  double* state;   ///< after the step, but for what comes through faces; may be PredictInput::state
  double* traces;  ///< the mean over the step at the six faces, Layout::traces(); of a cell that is
                   ///< no cube, with the traction times the face's area over that of the cube's
};

/// One side of a face.
struct FaceSide {
  double* trace;  ///< Layout::face(); the correction on return (see Kernels::riemann)
  Impedance uniform;
  const double* varying = nullptr;  ///< [p, s][b][a], if not null
  Elasticity elasticity{};          ///< read by the Rusanov flux alone
};

enum class Flux { godunov, rusanov };

/// How a boundary face reflects, per mode: 1 free, 0 absorbing, -1 clamped.
struct Reflection {
  double normal;
  double tangential;
};

struct CorrectInput {
  const double* corrections;  ///< of the six faces, Layout::traces()
  CellMaterial material;
  double inverse_size;
  double step;
  const double* damping = nullptr;  ///< [z][y][x], factors on all quantities, if not null
};

/// The kernels of an order: pure functions on contiguous arrays that are aligned to `alignment` and
/// whose padding is zero. Any thread may call them; nothing is allocated.
struct Kernels {
  Layout layout;
  Operators operators;

  /// The time-integrated local solution by the Cauchy-Kovalevskaya procedure (Dumbser and Kaeser,
  /// Geophys. J. Int. 167, 2006, section 3.3, on a nodal tensor basis). `scratch`: scratch_size()
  /// doubles of the calling worker.
  void (*predict)(const Operators& operators, const PredictInput& in, const PredictOutput& out,
                  double* scratch);

  /// Godunov's state at a face across `direction` between a lower and an upper cell whose materials
  /// may differ (Duru, Rannabauer, Gabriel, Igel, arXiv 1802.06380, section 3.2), less the trace of
  /// each side: both traces are replaced by that difference. Rusanov's state is there for
  /// comparison only; with a contrast of materials it is unstable.
  void (*riemann)(Flux flux, int direction, const FaceSide& lower, const FaceSide& upper);
  /// Godunov's state at a face of cells that are no cubes. `normal`: components of the area's
  /// vector over the cube's area, [x, y, z][b][a]; padding must not be zero.
  void (*riemann_tilted)(const double* normal, const FaceSide& lower, const FaceSide& upper);
  void (*riemann_boundary_tilted)(const Reflection& reflection, const double* normal, int side,
                                  const FaceSide& inner);
  /// Godunov's state at a boundary on `side` (0 lower, 1 upper) of the cell.
  void (*riemann_boundary)(const Reflection& reflection, int direction, int side,
                           const FaceSide& inner);

  /// A coarse face's values at the nodes of a part of it; `scratch` as for predict.
  void (*interpolate)(const PartOperators& along_a, const PartOperators& along_b,
                      const double* coarse, double* fine, double* scratch);
  /// Adds the L2 projection of a part's values to the coarse face's.
  void (*project)(const PartOperators& along_a, const PartOperators& along_b, const double* fine,
                  double* coarse, double* scratch);

  /// Adds what comes through the faces to the predicted state.
  void (*correct)(const Operators& operators, const CorrectInput& in, double* state);

  /// For measuring the processor's peak: 96 operations a round.
  double (*multiply_add)(long rounds, double factor, double summand);

  [[nodiscard]] std::size_t scratch_size() const { return 5 * layout.cell(); }
  /// Floating-point operations of a prediction that its formulas need (padding not counted).
  [[nodiscard]] double predict_operations() const;
  [[nodiscard]] double correct_operations() const;
};

/// The instruction sets that kernels are compiled for. Results differ in the last bits.
enum class InstructionSet { baseline, avx2 };

[[nodiscard]] InstructionSet best_instruction_set();
[[nodiscard]] std::string name(InstructionSet set);

/// Throws std::invalid_argument if the order is not lowest_order to highest_order, or if this
/// processor lacks the instructions.
[[nodiscard]] Kernels make_kernels(int order, InstructionSet set = best_instruction_set());

}  // namespace seismic
