// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "parallel/era.hpp"
#include "solve/adaptation.hpp"

namespace seismic {

/// The change from one era's mesh to the next: which old cells a new cell's values come from, and
/// which pieces need them. Made once on each rank; constant.
class Change {
 public:
  /// The eras outlive this.
  Change(const Era& from, const Era& to, const Basis& basis)
      : transfer_(from.mesh(), to.mesh(), basis), pieces_(from.mesh().cells.size()) {
    for (std::size_t k = 0; k < to.mesh().cells.size(); ++k) {
      const auto cell = static_cast<CellIndex>(k);
      const std::int32_t piece = to.pieces().piece_of(cell);
      for (const CellIndex origin : transfer_.origins(cell)) {
        pieces_[static_cast<std::size_t>(origin)].insert(piece);
      }
    }
  }

  [[nodiscard]] const Transfer& transfer() const { return transfer_; }
  /// The new pieces that have a part of an old cell.
  [[nodiscard]] const std::set<std::int32_t>& pieces_of(CellIndex old) const {
    return pieces_[static_cast<std::size_t>(old)];
  }

 private:
  Transfer transfer_;
  std::vector<std::set<std::int32_t>> pieces_;  // of each old cell
};

}  // namespace seismic
