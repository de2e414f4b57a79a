// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "leaf_index.hpp"

namespace roam::topology {

/// Parts of a tree that look alike can change places, with all that is on them, without a change of
/// any distance. This makes those exchanges, on all levels at once, after which most objects are at
/// home: from the leaves up, it assigns children to children for each pair of nodes that have
/// objects in common, and finally those of the root. Leaves are alike if their `limits` are equal,
/// nodes if what they contain is alike. `home` is a leaf of the index, or leaves() for an object
/// that has none.
void keep_at_home(const LeafIndex& index, std::span<const double> limits,
                  std::span<const std::uint32_t> home, std::vector<std::uint32_t>& place);

}  // namespace roam::topology
