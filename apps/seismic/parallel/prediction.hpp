// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cereal/cereal.hpp>
#include <cstdint>
#include <memory>
#include <mutex>
#include <roam/roam.hpp>
#include <utility>
#include <vector>

#include "kernels/kernels.hpp"
#include "solve/aligned_array.hpp"
#include "solve/patch.hpp"

namespace seismic {

class PredictedCells;

/// Cells without sources that are predicted in one task, in the memory of their patch. Whoever
/// reads or writes them holds the lock: the task when it runs here, a message when it is written
/// for another rank, the result when it arrives. If the cells have been predicted already when a
/// message is written - the task was sent, but computed here because it was late - the message
/// contains no cells, since its result will not be used. Thread-safe.
class CellsAtHome {
 public:
  /// `is_corrected`: false if they have to be corrected first, once.
  CellsAtHome(Patch& patch, std::vector<CellIndex> cells, bool is_corrected)
      : patch_(patch), cells_(std::move(cells)), is_corrected_(is_corrected) {}

  void predict();
  /// Stores what another rank has predicted. Throws roam::Error if these are other cells.
  void take(const PredictedCells& predicted);
  /// Calls put(inputs) with the inputs of the predictions, or with nothing.
  template <class Put>
  void show(const Put& put) {
    const std::lock_guard guard(mutex_);
    std::vector<PredictInput> inputs;
    if (!is_done_) {
      correct();
      for (const CellIndex cell : cells_) inputs.push_back(patch_.prediction(cell));
    }
    put(inputs);
  }

 private:
  void correct();

  Patch& patch_;
  const std::vector<CellIndex> cells_;
  std::mutex mutex_;
  bool is_corrected_;
  bool is_done_ = false;
};

/// The argument of the task: on the rank that has the cells it refers to them, and nothing is
/// copied unless the task is offloaded; on another rank it owns the inputs.
class CellBatch {
 public:
  CellBatch() = default;
  CellBatch(int order, InstructionSet set, std::shared_ptr<CellsAtHome> home)
      : order_(order), set_(set), home_(std::move(home)) {}

  [[nodiscard]] int order() const { return order_; }
  [[nodiscard]] InstructionSet set() const { return set_; }
  /// The cells on their own rank; nullptr elsewhere.
  [[nodiscard]] CellsAtHome* home() const { return home_.get(); }
  /// The inputs on another rank.
  [[nodiscard]] const std::vector<PredictInput>& inputs() const { return inputs_; }

  template <class Archive>
  void save(Archive& archive) const {
    archive(order_, static_cast<std::int32_t>(set_));
    if (home_) {
      home_->show([&](const std::vector<PredictInput>& inputs) { put(archive, inputs); });
    } else {
      put(archive, inputs_);
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
  void put(Archive& archive, const std::vector<PredictInput>& inputs) const {
    archive(static_cast<std::uint32_t>(inputs.size()));
    const Layout layout{order_ + 1};
    for (const PredictInput& in : inputs) {
      const bool is_varying = in.material.varying != nullptr;
      const bool is_tilted = in.material.metric != nullptr;
      const Elasticity& e = in.material.uniform;
      archive(in.inverse_size, in.step, e.inverse_density, e.lambda, e.mu, is_varying, is_tilted);
      put_values(archive, in.state, layout.cell());
      if (is_varying) put_values(archive, in.material.varying, of_material(layout));
      if (is_tilted) put_values(archive, in.material.metric, of_material(layout));
    }
  }
  template <class Archive>
  static void put_values(Archive& archive, const double* values, std::size_t count) {
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
  std::shared_ptr<CellsAtHome> home_;
  std::vector<PredictInput> inputs_;
  std::vector<AlignedArray> memory_;  // inputs, on another rank
};

/// The result of a task: states and traces of the batch's cells. On the cells' own rank it is
/// empty, since they are updated in place.
class PredictedCells {
 public:
  PredictedCells() = default;
  PredictedCells(int order, std::size_t cells);

  [[nodiscard]] std::size_t cells() const { return cells_; }
  [[nodiscard]] int order() const { return order_; }
  /// The state and traces of cell k: Layout::cell() and Layout::traces().
  [[nodiscard]] PredictOutput values(std::size_t k);
  [[nodiscard]] const double* state(std::size_t k) const { return values_.data() + k * stride(); }
  [[nodiscard]] const double* traces(std::size_t k) const { return state(k) + state_size(); }

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

/// Lets the virtual time of that many operations pass on a simulated machine; does nothing in a
/// real run.
void pass_simulated_time(double operations);

}  // namespace seismic
