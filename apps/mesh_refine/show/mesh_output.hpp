// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "cut/subdomain.hpp"

namespace mesh_refine {

/// The refined mesh as one: points on interfaces appear once.
struct OutputMesh {
  std::vector<Point3> points;
  std::vector<Tetrahedron> tets;
  std::vector<std::int32_t> subdomain;  ///< of every tetrahedron
  std::vector<std::int32_t> rank;       ///< that refined it
  std::vector<float> quality;           ///< radius ratio
};

/// Joins subdomains one after the other; add them in ascending order of their ids for an order of
/// points and tetrahedra that does not depend on where they were refined.
class MeshJoiner {
 public:
  void add(const Subdomain& subdomain, std::int32_t rank);
  [[nodiscard]] OutputMesh take() { return std::move(mesh_); }

 private:
  OutputMesh mesh_;
  std::vector<PointIndex> joined_;  ///< index of coarse boundary points that are in already
};

/// Writes a VTK XML unstructured grid (.vtu, base64) with the cell arrays subdomain, rank and
/// quality. Throws std::runtime_error when the file cannot be written completely. Blocks.
void write_vtu(const OutputMesh& mesh, const std::filesystem::path& file);

}  // namespace mesh_refine
