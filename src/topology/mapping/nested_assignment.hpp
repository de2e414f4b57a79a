// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "leaf_index.hpp"

namespace roam::topology {

/// Parts of a tree that look alike can change places, with all that is on them, and no distance
/// changes. Of all such exchanges, on all levels at once, makes those after which most objects are
/// at home: an assignment of children to children for each pair of nodes that have objects in
/// common, from the leaves up, and last of the root's. Leaves are alike if their `limits` are,
/// nodes if what is inside them is. `home` is a leaf of the index or leaves(): nowhere.
void keep_at_home(const LeafIndex& index, std::span<const double> limits,
                  std::span<const std::uint32_t> home, std::vector<std::uint32_t>& place);

}  // namespace roam::topology
