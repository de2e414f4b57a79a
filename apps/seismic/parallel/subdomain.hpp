// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cereal/types/array.hpp>
#include <cstdint>
#include <memory>
#include <roam/roam.hpp>
#include <vector>

#include "parallel/world.hpp"

namespace seismic {

/// Traces sent by another piece for one step.
struct SentTraces {
  std::int32_t piece = 0;
  roam::Array<double> values;  ///< of the faces of the Exchange, Layout::face() each
  template <class Archive>
  void serialize(Archive& archive) {
    archive(piece, values);
  }
};

/// Values of cells of the mesh before a change.
struct SentCells {
  std::vector<std::int32_t> cells;  ///< of the whole mesh before, ascending
  roam::Array<double> values;       ///< Layout::cell() each
  template <class Archive>
  void serialize(Archive& archive) {
    archive(cells, values);
  }
};

/// Where a neighbour is. If no objects move, some neighbours are known to be on the same rank: they
/// get their traces from the rank's own tasks, and do not make cells a part of the skeleton.
enum class Reach { near, far };

/// A piece of the mesh as a mobile object. It does a step when the traces of all its neighbours
/// have come, without any other synchronisation: a neighbour is at most one step ahead, so the
/// traces of two steps are stored. In a step it first predicts the cells whose traces neighbours on
/// other ranks need (the skeleton), sends these, and then predicts the others (the enclave).
class Subdomain {
 public:
  Subdomain();
  explicit Subdomain(const roam::Index<1>& place);
  Subdomain(Subdomain&&) noexcept;
  Subdomain& operator=(Subdomain&&) noexcept;
  ~Subdomain();

  /// Continues until `step` steps have been done since the beginning.
  void run_to(std::int64_t step);
  /// Receives a neighbour's traces of a step.
  void take(std::int64_t step, std::int32_t piece, roam::Array<double> values);
  /// Ends the step whose traces have all come, and predicts the next one.
  roam::Task<> go_on();

  // A change of the mesh, while nothing steps.
  /// Tells rank 0 the greatest velocities of its cells.
  void tell_velocities();
  /// Sends cells of the old mesh to the pieces of the present one that need them.
  void move_out();
  void take_cells(SentCells sent);
  /// Becomes a piece of the present mesh.
  void settle();

  /// Tells rank 0 where it is.
  void tell_place();

  template <class Archive>
  void save(Archive& archive) const {
    archive(piece_, era_, step_, target_, recorded_, time_, is_predicted_, moved_in_);
    for (const auto& sent : inbox_) archive(sent);
    archive(packed_values());
  }
  template <class Archive>
  void load(Archive& archive) {
    archive(piece_, era_, step_, target_, recorded_, time_, is_predicted_, moved_in_);
    for (auto& sent : inbox_) archive(sent);
    archive(packed_);
  }

 private:
  struct Work;  // the patch, which is made anew where the object arrives

  [[nodiscard]] Work& work();
  [[nodiscard]] std::vector<double> packed_values() const;
  void unpack_values();
  [[nodiscard]] std::vector<SentTraces>& inbox(std::int64_t step) {
    return inbox_[static_cast<std::size_t>(step % 2)];
  }
  void send_on() const;
  [[nodiscard]] bool has_all_traces();
  void take_in_traces();
  void send_traces(Reach reach);
  void correct_all();
  void record();
  void record_surface(std::int64_t sample);
  void record_snapshot(std::int64_t sample);
  void say_step() const;
  roam::Task<> predict_enclave(bool is_corrected);

  std::int32_t piece_ = 0;
  std::int32_t era_ = 0;
  std::int64_t step_ = 0;       // steps done
  std::int64_t target_ = 0;     // steps to be done
  std::int64_t recorded_ = -1;  // the last step that was recorded
  double time_ = 0.0;
  bool is_predicted_ = false;                     // true if the step after those done is predicted
  std::array<std::vector<SentTraces>, 2> inbox_;  // by the parity of the step
  std::vector<SentCells> moved_in_;
  std::vector<double> packed_;  // values that have been received and wait for a patch
  std::unique_ptr<Work> work_;
};

}  // namespace seismic
