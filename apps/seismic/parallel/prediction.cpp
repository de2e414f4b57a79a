// SPDX-License-Identifier: Apache-2.0
#include "parallel/prediction.hpp"

#include <algorithm>

#include "parallel/scratches.hpp"

namespace seismic {
namespace {

constexpr std::uint32_t most_cells = 1U << 20;
/// Operations a second of a worker of a simulated machine: a core of what README.md measured with.
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

PredictOutput PredictedCells::output(std::size_t k) {
  double* const state = values_.data() + k * stride();
  return {state, state + state_size()};
}

void PredictedCells::bring_home(const std::vector<PredictOutput>& outputs) const {
  if (cells_ == 0) return;
  if (cells_ != outputs.size()) throw roam::Error("a victim has predicted other cells");
  const Layout layout{order_ + 1};
  for (std::size_t k = 0; k < cells_; ++k) {
    const double* const state = values_.data() + k * stride();
    std::copy_n(state, layout.cell(), outputs[k].state);
    std::copy_n(state + state_size(), layout.traces(), outputs[k].traces);
  }
}

PredictedCells predict_cells(const CellBatch& batch) {
  const Kernels& kernels = kernels_of(batch.order(), batch.set());
  const bool is_home = !batch.outputs().empty();
  PredictedCells predicted;
  if (!is_home) predicted = PredictedCells(batch.order(), batch.inputs().size());
  const std::size_t size = kernels.scratch_size();
  auto scratch = roam::here().local<Scratches>().lend(size);
  for (std::size_t k = 0; k < batch.inputs().size(); ++k) {
    const PredictOutput out = is_home ? batch.outputs()[k] : predicted.output(k);
    kernels.predict(kernels.operators, batch.inputs()[k], out, scratch.data());
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
