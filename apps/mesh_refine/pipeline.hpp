// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "coarse/coarse_mesh.hpp"
#include "cut/partition.hpp"
#include "cut/subdomain.hpp"
#include "refine/refine_settings.hpp"
#include "size/grading.hpp"

namespace mesh_refine {

/// How the input's surface is remeshed first (see remesh_surface).
struct RemeshOptions {
  /// Edge length; 0: somewhat shorter than in the input, and no longer than the coarse mesh's. It
  /// is halved where the surface would cross itself.
  double length = 0.0;
  double sharp_degrees = 45.0;
};

/// Everything that a run depends on besides the input file.
struct Parameters {
  /// How to remesh the surface; without it the surface stays as it is. With it, the coarse mesh is
  /// also made for good angles.
  std::optional<RemeshOptions> remesh;
  GradingOptions grading;
  CoarseMeshOptions coarse;
  PartitionOptions partition;
  RefineSettings refine;
};

/// The demonstration: about 20 seconds of refinement on one core.
[[nodiscard]] Parameters demo_parameters();

/// A smaller version of the demonstration for tests: about one second.
[[nodiscard]] Parameters test_parameters();

/// A problem that is ready to be refined.
struct Problem {
  SizeField size;
  std::vector<Subdomain> subdomains;  ///< ids 0, 1, ... in order, nearest to the feature first
  double volume = 0.0;                ///< of the body as the input file has it
  std::size_t coarse_tets = 0;
  std::string note;             ///< one line for the user, or empty
  double thin_triangles = 0.0;  ///< share of the surface's with an angle below 5 degrees
  double tetgen_seconds = 0.0;  ///< 0 where TetGen was not needed
  std::uint64_t tetgen_bytes = 0;
};

/// Gets one line of text, without its end, before or after each step of the preparation.
using Progress = std::function<void(const std::string&)>;

/// Reads the file, makes the coarse mesh where the file holds a surface, chooses the size field and
/// cuts the mesh into subdomains. Deterministic for given TetGen and METIS. The size field is
/// enlarged where a thin body would need many more elements than asked for. Throws InputError,
/// PreparationError. Blocks.
[[nodiscard]] Problem prepare(
    const std::filesystem::path& file, const Parameters& parameters,
    const Progress& progress = [](const std::string&) {});

/// Rank that gets a subdomain at the start when consecutive ids are dealt out in `ranks` blocks of
/// about the same number.
[[nodiscard]] std::size_t block_owner(std::size_t subdomain, std::size_t subdomains,
                                      std::size_t ranks);

}  // namespace mesh_refine
