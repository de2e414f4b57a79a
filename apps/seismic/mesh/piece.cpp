// SPDX-License-Identifier: Apache-2.0
#include "mesh/piece.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace seismic {
namespace {

using WholeFace = std::pair<CellIndex, int>;  // a cell of the whole mesh and its face

/// Builds one piece.
class PieceBuilder {
 public:
  PieceBuilder(const Mesh& mesh, const Pieces& pieces, std::int32_t piece)
      : mesh_(mesh), pieces_(pieces) {
    piece_.mesh.grid = mesh.grid;
    piece_.first = pieces.begin(piece);
    piece_.own = pieces.end(piece) - pieces.begin(piece);
    for (CellIndex cell = pieces.begin(piece); cell < pieces.end(piece); ++cell) take(cell);
  }

  void add(const InnerFace& face) {
    piece_.mesh.inner.push_back({take(face.lower), take(face.upper), face.direction});
    meet({face.lower, 2 * face.direction + 1}, {face.upper, 2 * face.direction});
  }
  void add(const BoundaryFace& face) {
    piece_.mesh.boundary.push_back({take(face.cell), face.direction, face.side});
  }
  void add(const HangingFace& face) {
    const auto parts = static_cast<std::size_t>(mesh_.grid.refinement) *
                       static_cast<std::size_t>(mesh_.grid.refinement);
    HangingFace local{take(face.coarse), face.direction, face.side, {}};
    local.fine.fill(-1);
    for (std::size_t part = 0; part < parts; ++part) {
      const CellIndex fine = face.fine[part];
      if (!is_own(face.coarse) && !is_own(fine)) continue;
      local.fine[part] = take(fine);
      meet({face.coarse, 2 * face.direction + face.side},
           {fine, 2 * face.direction + 1 - face.side});
    }
    piece_.mesh.hanging.push_back(local);
  }

  Piece finish() && {
    for (const auto& [other, shown] : shown_) {
      Exchange exchange{other, {}, {}};
      for (const WholeFace& face : shown.own) {
        exchange.sends.push_back({take(face.first), face.second});
      }
      for (const WholeFace& face : shown.others) {
        exchange.receives.push_back({take(face.first), face.second});
      }
      piece_.exchanges.push_back(std::move(exchange));
    }
    return std::move(piece_);
  }

 private:
  struct Shown {
    std::set<WholeFace> own, others;  // each once, in an order that both pieces know
  };

  [[nodiscard]] bool is_own(CellIndex cell) const {
    return cell >= piece_.first && cell < piece_.first + piece_.own;
  }
  /// The cell's index in the piece, which it joins if it is not there yet.
  CellIndex take(CellIndex cell) {
    const auto [found, is_new] = local_.emplace(cell, static_cast<CellIndex>(local_.size()));
    if (is_new) {
      piece_.mesh.cells.push_back(mesh_.cells[static_cast<std::size_t>(cell)]);
      piece_.in_whole.push_back(cell);
    }
    return found->second;
  }
  /// Both sides of a face of which one at least is the piece's own.
  void meet(const WholeFace& a, const WholeFace& b) {
    if (is_own(a.first) == is_own(b.first)) return;
    const WholeFace& own = is_own(a.first) ? a : b;
    const WholeFace& other = is_own(a.first) ? b : a;
    Shown& shown = shown_[pieces_.piece_of(other.first)];
    shown.own.insert(own);
    shown.others.insert(other);
  }

  const Mesh& mesh_;
  const Pieces& pieces_;
  Piece piece_;
  std::unordered_map<CellIndex, CellIndex> local_;
  std::map<std::int32_t, Shown> shown_;
};

}  // namespace

Pieces::Pieces(const Mesh& mesh, std::vector<std::size_t> begins)
    : mesh_(mesh), begins_(std::move(begins)), faces_(begins_.size() - 1) {
  const auto note = [this](std::vector<std::size_t> Faces::*list, std::size_t face,
                           CellIndex cell) {
    auto& of_piece = faces_[static_cast<std::size_t>(piece_of(cell))].*list;
    if (of_piece.empty() || of_piece.back() != face) of_piece.push_back(face);
  };
  for (std::size_t k = 0; k < mesh.inner.size(); ++k) {
    note(&Faces::inner, k, mesh.inner[k].lower);
    note(&Faces::inner, k, mesh.inner[k].upper);
  }
  for (std::size_t k = 0; k < mesh.boundary.size(); ++k) {
    note(&Faces::boundary, k, mesh.boundary[k].cell);
  }
  const auto edge = static_cast<std::size_t>(mesh.grid.refinement);
  for (std::size_t k = 0; k < mesh.hanging.size(); ++k) {
    note(&Faces::hanging, k, mesh.hanging[k].coarse);
    for (std::size_t part = 0; part < edge * edge; ++part) {
      note(&Faces::hanging, k, mesh.hanging[k].fine[part]);
    }
  }
}

std::int32_t Pieces::piece_of(CellIndex cell) const {
  const auto after =
      std::upper_bound(begins_.begin(), begins_.end(), static_cast<std::size_t>(cell));
  return static_cast<std::int32_t>(after - begins_.begin()) - 1;
}

Piece Pieces::make(std::int32_t piece) const {
  PieceBuilder builder(mesh_, *this, piece);
  const Faces& of_piece = faces_[static_cast<std::size_t>(piece)];
  for (const std::size_t k : of_piece.inner) builder.add(mesh_.inner[k]);
  for (const std::size_t k : of_piece.boundary) builder.add(mesh_.boundary[k]);
  for (const std::size_t k : of_piece.hanging) builder.add(mesh_.hanging[k]);
  return std::move(builder).finish();
}

}  // namespace seismic
