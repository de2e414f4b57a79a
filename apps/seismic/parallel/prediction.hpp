// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cereal/cereal.hpp>
#include <cstdint>
#include <roam/roam.hpp>
#include <vector>

#include "kernels/kernels.hpp"
#include "solve/aligned_array.hpp"

namespace seismic {

/// Cells without sources to be predicted in one task. On the rank that has the cells it refers to
/// their memory, for input and output, so that nothing is copied unless the task is offloaded; what
/// has travelled owns its inputs. The input of a cell lies apart from its output: it stays as it is
/// until the task is complete, since it may be sent, or computed here after all, at any time.
class CellBatch {
 public:
  CellBatch() = default;
  CellBatch(int order, InstructionSet set) : order_(order), set_(set) {}

  void add(const PredictInput& in, const PredictOutput& out) {
    inputs_.push_back(in);
    outputs_.push_back(out);
  }
  [[nodiscard]] int order() const { return order_; }
  [[nodiscard]] InstructionSet set() const { return set_; }
  [[nodiscard]] const std::vector<PredictInput>& inputs() const { return inputs_; }
  /// Empty on the victim.
  [[nodiscard]] const std::vector<PredictOutput>& outputs() const { return outputs_; }

  template <class Archive>
  void save(Archive& archive) const {
    archive(order_, static_cast<std::int32_t>(set_), static_cast<std::uint32_t>(inputs_.size()));
    const Layout layout{order_ + 1};
    for (const PredictInput& in : inputs_) {
      const bool is_varying = in.material.varying != nullptr;
      const bool is_tilted = in.material.metric != nullptr;
      const Elasticity& e = in.material.uniform;
      archive(in.inverse_size, in.step, e.inverse_density, e.lambda, e.mu, is_varying, is_tilted);
      put(archive, in.state, layout.cell());
      if (is_varying) put(archive, in.material.varying, of_material(layout));
      if (is_tilted) put(archive, in.material.metric, of_material(layout));
    }
  }
  template <class Archive>
  void load(Archive& archive) {
    std::int32_t set = 0;
    std::uint32_t cells = 0;
    archive(order_, set, cells);
    check(order_, set, cells);
    set_ = static_cast<InstructionSet>(set);
    const Layout layout{order_ + 1};
    for (std::uint32_t k = 0; k < cells; ++k) {
      PredictInput in{};
      bool is_varying = false, is_tilted = false;
      Elasticity& e = in.material.uniform;
      archive(in.inverse_size, in.step, e.inverse_density, e.lambda, e.mu, is_varying, is_tilted);
      in.state = get(archive, layout.cell());
      if (is_varying) in.material.varying = get(archive, of_material(layout));
      if (is_tilted) in.material.metric = get(archive, of_material(layout));
      inputs_.push_back(in);
    }
  }

 private:
  [[nodiscard]] static std::size_t of_material(const Layout& layout) {
    return 3 * static_cast<std::size_t>(layout.quantity());
  }
  template <class Archive>
  static void put(Archive& archive, const double* values, std::size_t count) {
    archive(cereal::binary_data(values, count * sizeof(double)));
  }
  template <class Archive>
  const double* get(Archive& archive, std::size_t count) {
    memory_.emplace_back(count);
    archive(cereal::binary_data(memory_.back().data(), count * sizeof(double)));
    return memory_.back().data();
  }
  /// Throws roam::MalformedMessage.
  static void check(int order, int set, std::uint32_t cells);

  int order_ = lowest_order;
  InstructionSet set_ = InstructionSet::baseline;
  std::vector<PredictInput> inputs_;
  std::vector<PredictOutput> outputs_;
  std::vector<AlignedArray> memory_;  // of what has travelled
};

/// What a victim sends back: states and traces of the batch's cells. Empty at home, where they have
/// been written to where they belong.
class PredictedCells {
 public:
  PredictedCells() = default;
  PredictedCells(int order, std::size_t cells);

  /// Where the kernel writes cell k.
  [[nodiscard]] PredictOutput output(std::size_t k);
  /// To where the cells are at home. Throws roam::Error if these are other cells.
  void bring_home(const std::vector<PredictOutput>& outputs) const;

  template <class Archive>
  void save(Archive& archive) const {
    archive(order_, static_cast<std::uint32_t>(cells_));
    archive(cereal::binary_data(values_.data(), values_.size() * sizeof(double)));
  }
  template <class Archive>
  void load(Archive& archive) {
    std::uint32_t cells = 0;
    archive(order_, cells);
    check(order_, cells);
    *this = PredictedCells(order_, cells);
    archive(cereal::binary_data(values_.data(), values_.size() * sizeof(double)));
  }

 private:
  [[nodiscard]] std::size_t state_size() const;
  [[nodiscard]] std::size_t stride() const;
  static void check(int order, std::uint32_t cells);

  int order_ = lowest_order;
  std::size_t cells_ = 0;
  AlignedArray values_;  // of each cell: state, traces
};

/// The offloadable task: a pure function of the batch's inputs, with the same bits on every rank,
/// since all have agreed on one instruction set.
[[nodiscard]] PredictedCells predict_cells(const CellBatch& batch);

/// The kernels of an order, made once in a process; constant.
[[nodiscard]] const Kernels& kernels_of(int order, InstructionSet set);

/// Of so many operations on a simulated machine: its worker's time passes. Nothing in a real run.
void pass_simulated_time(double operations);

}  // namespace seismic
