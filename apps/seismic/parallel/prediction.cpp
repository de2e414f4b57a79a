// SPDX-License-Identifier: Apache-2.0
#include "parallel/prediction.hpp"

#include <algorithm>
#include <utility>

#include "parallel/scratches.hpp"

namespace seismic {
namespace {

constexpr std::uint32_t most_cells = 1U << 20;
/// Operations per second of a worker of a simulated machine: one core of the machine in README.md.
constexpr double simulated_speed = 2e10;

std::vector<Kernels> all_kernels(InstructionSet set) {
  std::vector<Kernels> kernels;
  for (int order = lowest_order; order <= highest_order; ++order) {
    kernels.push_back(make_kernels(order, set));
  }
  return kernels;
}

void check_order_and_count(int order, std::uint32_t cells) {
  if (order < lowest_order || order > highest_order || cells > most_cells) {
    throw roam::MalformedMessage("no cells of any order that there is");
  }
}

}  // namespace

void CellBatch::check(int order, int set, std::uint32_t cells) {
  check_order_and_count(order, cells);
  if (set != static_cast<int>(InstructionSet::baseline) &&
      set != static_cast<int>(InstructionSet::avx2)) {
    throw roam::MalformedMessage("no instruction set that there is");
  }
}

PredictedCells::PredictedCells(int order, std::size_t cells)
    : order_(order), cells_(cells), values_(stride() * cells) {}

std::size_t PredictedCells::state_size() const { return aligned_size(Layout{order_ + 1}.cell()); }

std::size_t PredictedCells::stride() const {
  return state_size() + aligned_size(Layout{order_ + 1}.traces());
}

void PredictedCells::check(int order, std::uint32_t cells) { check_order_and_count(order, cells); }

PredictOutput PredictedCells::values(std::size_t k) {
  double* const state = values_.data() + k * stride();
  return {state, state + state_size()};
}

void CellsAtHome::correct() {
  if (std::exchange(is_corrected_, true)) return;
  for (const CellIndex cell : cells_) patch_.correct(cell);
}

void CellsAtHome::predict() {
  const std::lock_guard guard(mutex_);
  const std::size_t size = patch_.kernels().scratch_size();
  auto scratch = roam::here().local<Scratches>().lend(size);
  for (const CellIndex cell : cells_) {
    if (!is_corrected_) patch_.correct(cell);
    patch_.predict(cell, scratch.data());
  }
  is_corrected_ = is_done_ = true;
  pass_simulated_time(static_cast<double>(cells_.size()) * patch_.kernels().predict_operations());
}

void CellsAtHome::take(const PredictedCells& predicted) {
  const std::lock_guard guard(mutex_);
  if (is_done_) return;  // predicted here
  const Layout& layout = patch_.kernels().layout;
  if (predicted.cells() != cells_.size() || predicted.order() + 1 != layout.nodes) {
    throw roam::Error("another rank has predicted other cells");
  }
  for (std::size_t k = 0; k < cells_.size(); ++k) {
    std::copy_n(predicted.state(k), layout.cell(), patch_.state(cells_[k]));
    std::copy_n(predicted.traces(k), layout.traces(), patch_.trace(cells_[k], 0));
  }
  is_done_ = true;
}

PredictedCells predict_cells(const CellBatch& batch) {
  if (batch.home() != nullptr) {
    batch.home()->predict();
    return {};
  }
  const Kernels& kernels = kernels_of(batch.order(), batch.set());
  PredictedCells predicted(batch.order(), batch.inputs().size());
  const std::size_t size = kernels.scratch_size();
  auto scratch = roam::here().local<Scratches>().lend(size);
  for (std::size_t k = 0; k < batch.inputs().size(); ++k) {
    kernels.predict(kernels.operators, batch.inputs()[k], predicted.values(k), scratch.data());
  }
  pass_simulated_time(static_cast<double>(batch.inputs().size()) * kernels.predict_operations());
  return predicted;
}

const Kernels& kernels_of(int order, InstructionSet set) {
  const auto place = static_cast<std::size_t>(order - lowest_order);
  if (set == InstructionSet::avx2) {
    static const std::vector<Kernels> avx2 = all_kernels(InstructionSet::avx2);
    return avx2[place];
  }
  static const std::vector<Kernels> baseline = all_kernels(InstructionSet::baseline);
  return baseline[place];
}

void pass_simulated_time(double operations) {
  roam::here().compute_if_simulated(roam::from_seconds(operations / simulated_speed));
}

}  // namespace seismic
