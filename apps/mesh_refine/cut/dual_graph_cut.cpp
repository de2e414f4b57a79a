// SPDX-License-Identifier: Apache-2.0
#include "cut/dual_graph_cut.hpp"

#include <metis.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

namespace mesh_refine {
namespace {

struct Graph {
  std::vector<idx_t> begin{0};
  std::vector<idx_t> neighbour;
  std::vector<idx_t> weight;
  std::vector<idx_t> edge_weight;  ///< empty: all alike
};

/// Cutting a face of a tetrahedron that should be kept whole costs as much as this many other
/// faces.
constexpr idx_t whole_weight = 50;

Graph dual_graph(std::span<const std::array<TetIndex, 4>> neighbours,
                 std::span<const double> weights, const std::vector<bool>& keep_whole) {
  Graph graph;
  for (std::size_t t = 0; t < neighbours.size(); ++t) {
    for (const TetIndex other : neighbours[t]) {
      if (other == no_tet) continue;
      graph.neighbour.push_back(static_cast<idx_t>(other));
      if (keep_whole.empty()) continue;
      graph.edge_weight.push_back(keep_whole[t] || keep_whole[other] ? whole_weight : 1);
    }
    graph.begin.push_back(static_cast<idx_t>(graph.neighbour.size()));
  }
  // METIS adds integer weights up in 32 bits.
  double sum = 0.0;
  for (const double w : weights) sum += w;
  const double scale = 1e9 / sum;
  for (const double w : weights) {
    graph.weight.push_back(std::max<idx_t>(1, static_cast<idx_t>(scale * w)));
  }
  return graph;
}

/// Face-connected pieces within the parts: the piece of each tetrahedron, and the size of each
/// piece.
struct Pieces {
  std::vector<std::uint32_t> of_tet;
  std::vector<std::vector<TetIndex>> tets;
};

Pieces find_pieces(std::span<const std::array<TetIndex, 4>> neighbours,
                   const std::vector<std::uint32_t>& part) {
  Pieces pieces;
  pieces.of_tet.assign(part.size(), no_tet);
  for (std::size_t seed = 0; seed < part.size(); ++seed) {
    if (pieces.of_tet[seed] != no_tet) continue;
    const auto number = static_cast<std::uint32_t>(pieces.tets.size());
    std::vector<TetIndex> piece{static_cast<TetIndex>(seed)};
    pieces.of_tet[seed] = number;
    for (std::size_t i = 0; i < piece.size(); ++i) {
      for (const TetIndex other : neighbours[piece[i]]) {
        if (other == no_tet || pieces.of_tet[other] != no_tet || part[other] != part[seed]) {
          continue;
        }
        pieces.of_tet[other] = number;
        piece.push_back(other);
      }
    }
    pieces.tets.push_back(std::move(piece));
  }
  return pieces;
}

}  // namespace

std::vector<std::uint32_t> cut_dual_graph(std::span<const std::array<TetIndex, 4>> neighbours,
                                          std::span<const double> weights,
                                          const std::vector<bool>& keep_whole, std::uint32_t parts,
                                          std::int32_t seed) {
  std::vector<std::uint32_t> result(neighbours.size(), 0);
  if (parts < 2 || neighbours.size() < 2) return result;
  Graph graph = dual_graph(neighbours, weights, keep_whole);
  std::array<idx_t, METIS_NOPTIONS> options{};
  METIS_SetDefaultOptions(options.data());
  options[METIS_OPTION_SEED] = seed;
  options[METIS_OPTION_NUMBERING] = 0;
  auto vertices = static_cast<idx_t>(neighbours.size());
  auto wanted = static_cast<idx_t>(std::min<std::size_t>(parts, neighbours.size()));
  idx_t constraints = 1;
  idx_t cut = 0;
  std::vector<idx_t> part(neighbours.size(), 0);
  const int status = METIS_PartGraphKway(
      &vertices, &constraints, graph.begin.data(), graph.neighbour.data(), graph.weight.data(),
      nullptr, graph.edge_weight.empty() ? nullptr : graph.edge_weight.data(), &wanted, nullptr,
      nullptr, options.data(), &cut, part.data());
  if (status != METIS_OK) {
    throw std::runtime_error("METIS could not partition the mesh (status " +
                             std::to_string(status) + ")");
  }
  std::ranges::transform(part, result.begin(),
                         [](idx_t p) { return static_cast<std::uint32_t>(p); });
  return result;
}

void join_crumbs(std::span<const std::array<TetIndex, 4>> neighbours,
                 std::vector<std::uint32_t>& part) {
  const Pieces pieces = find_pieces(neighbours, part);
  std::map<std::uint32_t, std::size_t> largest;  // of each part: its largest piece
  for (std::size_t i = 0; i < pieces.tets.size(); ++i) {
    const auto [entry, first] = largest.try_emplace(part[pieces.tets[i].front()], i);
    if (!first && pieces.tets[i].size() > pieces.tets[entry->second].size()) entry->second = i;
  }
  for (std::size_t i = 0; i < pieces.tets.size(); ++i) {
    const std::uint32_t own = part[pieces.tets[i].front()];
    if (largest[own] == i) continue;
    std::map<std::uint32_t, std::size_t> shared_faces;
    for (const TetIndex t : pieces.tets[i]) {
      for (const TetIndex other : neighbours[t]) {
        if (other != no_tet && part[other] != own) ++shared_faces[part[other]];
      }
    }
    if (shared_faces.empty()) continue;
    const auto best =
        std::ranges::max_element(shared_faces, {}, [](const auto& e) { return e.second; });
    for (const TetIndex t : pieces.tets[i]) part[t] = best->first;
  }
}

}  // namespace mesh_refine
