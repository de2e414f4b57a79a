// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/kernels.hpp"
#include "kernels/sweeps.hpp"
#include "kernels/tilted.hpp"
#include "kernels/traces.hpp"

namespace seismic::ROAM_SEISMIC_ISA {

/// How a cell's operator is applied: a cube of one material, a cube of several, or no cube.
enum class CellKind { uniform, varying, tilted };

/// `extra`: memory for tractions and gradients of a cell that is no cube. Returns where the
/// tractions lie.
template <int N, CellKind K, Pass P>
ROAM_SEISMIC_INLINE Tractions apply_operator(const Operators& op, const CellMaterial& material,
                                             const Sweep& sweep, double* extra) {
  constexpr bool is_varying = K != CellKind::uniform;
  if constexpr (K == CellKind::tilted) {
    const Tractions tractions = tilted_tractions<N>(material.metric, sweep.in, extra);
    sweep_velocity<N, is_varying, P>(op, material, tractions, sweep);
    double* gradients = extra + quantities * Dims<N>::quantity;
    tilted_gradients<N>(op, material.metric, sweep.in, gradients);
    sweep_tilted_stress<N, P>(material, gradients, sweep);
    return tractions;
  } else {
    const Tractions tractions = stresses_of<N>(sweep.in);
    sweep_velocity<N, is_varying, P>(op, material, tractions, sweep);
    sweep_normal_stress<N, is_varying, P>(op, material, sweep);
    sweep_shear_stress<N, is_varying, P>(op, material, sweep);
    return tractions;
  }
}

/// values -= factor * moment * shape on the stresses; a source is in few cells, so this is apart
/// from the sweeps.
template <int N>
void add_source(const CellSource& source, double factor, double* values) {
  using D = Dims<N>;
  for (int component = 0; component < 6; ++component) {
    double* stress = values + (sxx + component) * D::quantity;
    const double amplitude = -factor * source.moment[component];
    for (int k = 0; k < D::volume; ++k) stress[k] += amplitude * source.shape[k];
  }
}

/// Adds the sources to T_{k+1} and to the mean.
template <int N>
void add_sources(const PredictInput& in, int k, const Sweep& sweep) {
  for (std::size_t s = 0; s < in.source_count; ++s) {
    const double amount = in.step / (k + 1) * in.sources[s].rate[k];
    add_source<N>(in.sources[s], amount, sweep.out);
    add_source<N>(in.sources[s], amount * sweep.share, sweep.mean);
  }
}

template <int N, CellKind K>
void predict_cell(const Operators& op, const PredictInput& in, const PredictOutput& out,
                  double* scratch) {
  constexpr int size = quantities * Dims<N>::quantity;
  double* mean = scratch;
  double* levels[2] = {scratch + size, scratch + 2 * size};
  double* extra = scratch + 3 * size;
  const double factor = in.step * in.inverse_size;
  const double* level = in.state;
  for (int k = 0; k < size; k += lanes) vec(mean + k) = vec(level + k);
  for (int k = 0; k + 1 < N; ++k) {
    const Sweep sweep{level, levels[k % 2], mean, nullptr, factor / (k + 1), 1.0 / (k + 2)};
    apply_operator<N, K, Pass::level>(op, in.material, sweep, extra);
    if (in.source_count != 0) add_sources<N>(in, k, sweep);
    level = sweep.out;
  }
  const Sweep last{mean, out.state, nullptr, in.state, factor, 0.0};
  const Tractions tractions = apply_operator<N, K, Pass::last>(op, in.material, last, extra);
  for (std::size_t s = 0; s < in.source_count; ++s) {
    double rate = 0.0;
    for (int k = 0; k < N; ++k) rate += in.sources[s].rate[k] / (k + 1);
    add_source<N>(in.sources[s], in.step * rate, out.state);
  }
  traces_of<N>(op, mean, tractions, out.traces);
}

template <int N>
void predict(const Operators& op, const PredictInput& in, const PredictOutput& out,
             double* scratch) {
  if (in.material.metric != nullptr) {
    predict_cell<N, CellKind::tilted>(op, in, out, scratch);
  } else if (in.material.varying != nullptr) {
    predict_cell<N, CellKind::varying>(op, in, out, scratch);
  } else {
    predict_cell<N, CellKind::uniform>(op, in, out, scratch);
  }
}

}  // namespace seismic::ROAM_SEISMIC_ISA
