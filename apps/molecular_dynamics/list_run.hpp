// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "molecular_dynamics/list_cell.hpp"

namespace md {

/// How cells of a ListRun communicate. The functions are given what each cell of the run passes to
/// its neighbours along an axis, and replace it by what each one gets: `lower` from the lower
/// neighbour, which has passed it as `upper`, and vice versa.
class Exchange {
 public:
  Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  virtual ~Exchange() = default;
  virtual void pass(std::size_t axis, std::vector<Sides<Atom>>& sides) = 0;
  virtual void pass(std::size_t axis, std::vector<Sides<Vec3>>& sides) = 0;
  /// The largest value on all ranks.
  [[nodiscard]] virtual double largest(double value) = 0;
  /// The sum over all cells of the results of the run's cells, as by sum_of(), on all ranks.
  [[nodiscard]] virtual StepResult sum(const std::vector<StepResult>& of_cells) = 0;
};

/// Communication where one run has all cells.
class SerialExchange final : public Exchange {
 public:
  explicit SerialExchange(const Grid& grid) : grid_(grid) {}
  void pass(std::size_t axis, std::vector<Sides<Atom>>& sides) override;
  void pass(std::size_t axis, std::vector<Sides<Vec3>>& sides) override;
  [[nodiscard]] double largest(double value) override { return value; }
  [[nodiscard]] StepResult sum(const std::vector<StepResult>& of_cells) override;

 private:
  Grid grid_;
};

/// Simulates consecutive cells, one after the other: all of them, or those of one rank. The result
/// is bitwise the same for all divisions among ranks.
class ListRun {
 public:
  /// Makes the atoms of the cells from number `begin` to `end`, that one not included, and computes
  /// the first forces. `exchange` must outlive the run.
  ListRun(const ListModel& model, Exchange& exchange, std::int64_t begin, std::int64_t end);
  /// Does a step.
  void step();

  [[nodiscard]] const std::vector<ListCell>& cells() const { return cells_; }
  /// The sum over the run's own cells, after the last step.
  [[nodiscard]] const std::vector<StepResult>& results() const { return results_; }
  /// How often lists have been built, the first time included.
  [[nodiscard]] std::int64_t list_builds() const { return list_builds_; }

 private:
  void build_lists();
  void update_ghosts();
  void finish();

  ListModel model_;
  Exchange& exchange_;
  std::vector<ListCell> cells_;
  std::vector<StepResult> results_;
  std::vector<Sides<Atom>> atoms_;   // under way
  std::vector<Sides<Vec3>> ghosts_;  // under way
  std::int64_t list_builds_ = 0;
};

/// What is known of a run at its end, from all atoms.
struct Summary {
  std::int64_t atoms = 0;
  std::uint64_t fingerprint = 0;
  Vec3 momentum;
  friend Summary operator+(const Summary& a, const Summary& b) {
    return {a.atoms + b.atoms, a.fingerprint + b.fingerprint, a.momentum + b.momentum};
  }
};
[[nodiscard]] Summary summary_of(const ListCell& cell);

/// All atoms of some cells with the forces on them; can be added.
struct Snapshot {
  std::vector<Atom> atoms;
  std::vector<Vec3> forces;
  void add(const Snapshot& other);
  friend Snapshot operator+(Snapshot a, const Snapshot& b) {
    a.add(b);
    return a;
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(atoms, forces);
  }
};
[[nodiscard]] Snapshot snapshot_of(const ListCell& cell);

/// The largest difference between the snapshot's forces and those computed from all pairs of its
/// atoms, divided by the largest force, or by 1 if that is smaller. O(atoms^2). The cut-off must be
/// at most half of the box.
[[nodiscard]] double force_error(const ListModel& model, const Snapshot& snapshot);

}  // namespace md
