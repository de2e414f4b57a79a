// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "text_scanner.hpp"

namespace mesh_refine {

/// Tetrahedra among VTK cells. `ends[i]` is the end of cell i in `connectivity`; the VTK cell types
/// vertex, line and triangle are skipped, other types than the linear tetrahedron are errors.
/// Throws InputError through `scanner`.
[[nodiscard]] std::vector<Tetrahedron> tets_of_vtk_cells(const TextScanner& scanner,
                                                         const std::vector<long long>& connectivity,
                                                         const std::vector<long long>& ends,
                                                         const std::vector<long long>& types,
                                                         std::size_t points);

}  // namespace mesh_refine
