// SPDX-License-Identifier: Apache-2.0
#include "mesh/spacetree.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace seismic {
namespace {

std::int64_t power(std::int64_t base, int exponent) {
  std::int64_t result = 1;
  for (int k = 0; k < exponent; ++k) result *= base;
  return result;
}

/// Calls body(offset) for the neighbours across faces, edges and corners.
template <class Body>
void for_each_neighbour(const Body& body) {
  for (std::int32_t z = -1; z <= 1; ++z) {
    for (std::int32_t y = -1; y <= 1; ++y) {
      for (std::int32_t x = -1; x <= 1; ++x) {
        if (x != 0 || y != 0 || z != 0) body(CellPlace{x, y, z});
      }
    }
  }
}

/// Calls body(place) for the children's places.
template <class Body>
void for_each_child(int refinement, const Body& body) {
  for (std::int32_t z = 0; z < refinement; ++z) {
    for (std::int32_t y = 0; y < refinement; ++y) {
      for (std::int32_t x = 0; x < refinement; ++x) body(CellPlace{x, y, z});
    }
  }
}

}  // namespace

std::size_t CellKeyHash::operator()(const CellKey& key) const {
  std::uint64_t hash = static_cast<std::uint64_t>(key.level);
  for (const std::int32_t at : key.place) {
    hash = (hash ^ static_cast<std::uint64_t>(at)) * 0x9E3779B97F4A7C15ULL;
    hash ^= hash >> 29;
  }
  return static_cast<std::size_t>(hash);
}

Spacetree::Spacetree(const RootGrid& grid) : grid_(grid) {
  if (grid.refinement != 2 && grid.refinement != 3) {
    throw std::invalid_argument("cells are divided by 2 or 3 in each direction, not by " +
                                std::to_string(grid.refinement));
  }
  if (*std::min_element(grid.count.begin(), grid.count.end()) < 1 || !(grid.size > 0.0)) {
    throw std::invalid_argument("the mesh needs a root cell in each direction, of positive size");
  }
  const std::int32_t most = *std::max_element(grid.count.begin(), grid.count.end());
  while (power(grid.refinement, root_digits_) < most) ++root_digits_;
  if (root_digits_ > most_curve_digits(grid.refinement)) {
    throw std::invalid_argument("the mesh has too many root cells");
  }
  for (std::int32_t z = 0; z < grid.count[2]; ++z) {
    for (std::int32_t y = 0; y < grid.count[1]; ++y) {
      for (std::int32_t x = 0; x < grid.count[0]; ++x) leaves_.emplace(CellKey{0, {x, y, z}}, true);
    }
  }
}

double Spacetree::size_at(int level) const {
  return grid_.size / static_cast<double>(power(grid_.refinement, level));
}

std::int32_t Spacetree::count_at(int level, std::size_t axis) const {
  return static_cast<std::int32_t>(grid_.count[axis] * power(grid_.refinement, level));
}

Point Spacetree::lower_corner(const CellKey& key) const {
  Point result = grid_.origin;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    // Computed from the root's corner, so that corners on the boundaries of roots are exact.
    const auto parts = static_cast<std::int32_t>(power(grid_.refinement, key.level));
    result[axis] +=
        grid_.size * (key.place[axis] / parts) + grid_.size * (key.place[axis] % parts) / parts;
  }
  return result;
}

CellKey Spacetree::parent(const CellKey& key) const {
  CellKey result{key.level - 1, key.place};
  for (std::int32_t& at : result.place) at /= grid_.refinement;
  return result;
}

CellKey Spacetree::child(const CellKey& key, const CellPlace& at) const {
  CellKey result{key.level + 1, at};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    result.place[axis] += key.place[axis] * grid_.refinement;
  }
  return result;
}

std::optional<CellKey> Spacetree::neighbour(const CellKey& key, const CellPlace& offset) const {
  CellKey result = key;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int32_t count = count_at(key.level, axis);
    std::int32_t at = key.place[axis] + offset[axis];
    if (at < 0 || at >= count) {
      if (!grid_.is_periodic[axis]) return std::nullopt;
      at = (at + count) % count;
    }
    result.place[axis] = at;
  }
  return result;
}

std::optional<CellKey> Spacetree::leaf_around(CellKey key) const {
  while (key.level >= 0) {
    if (is_leaf(key)) return key;
    key = parent(key);
  }
  return std::nullopt;
}

void Spacetree::divide(const CellKey& key) {
  if (!is_leaf(key)) return;
  if (root_digits_ + key.level + 1 > most_curve_digits(grid_.refinement)) {
    throw std::invalid_argument("the mesh is refined too often");
  }
  // The children may have neighbours of this level, but no coarser ones.
  for_each_neighbour([&](const CellPlace& offset) {
    const auto beside = neighbour(key, offset);
    if (!beside) return;
    while (true) {
      const auto leaf = leaf_around(*beside);
      if (!leaf || leaf->level >= key.level) break;
      divide(*leaf);
    }
  });
  leaves_.erase(key);
  for_each_child(grid_.refinement,
                 [&](const CellPlace& at) { leaves_.emplace(child(key, at), true); });
  deepest_ = std::max(deepest_, key.level + 1);
}

bool Spacetree::join(const CellKey& parent) {
  bool is_possible = true;
  for_each_child(grid_.refinement, [&](const CellPlace& at) {
    const CellKey part = child(parent, at);
    is_possible = is_possible && is_leaf(part);
    if (!is_possible) return;
    for_each_neighbour([&](const CellPlace& offset) {
      // A finer leaf beside a child would be two levels below its new neighbour.
      const auto beside = neighbour(part, offset);
      if (beside && !leaf_around(*beside)) is_possible = false;
    });
  });
  if (!is_possible) return false;
  for_each_child(grid_.refinement, [&](const CellPlace& at) { leaves_.erase(child(parent, at)); });
  leaves_.emplace(parent, true);
  return true;
}

void Spacetree::refine(const WantedLevel& wanted) {
  std::vector<CellKey> open;
  for (const auto& [key, unused] : leaves_) open.push_back(key);
  while (!open.empty()) {
    const CellKey key = open.back();
    open.pop_back();
    // A cell that grading has divided in the meantime is visited through its children.
    if (is_leaf(key)) {
      if (wanted(lower_corner(key), size_at(key.level)) <= key.level) continue;
      divide(key);
    }
    for_each_child(grid_.refinement, [&](const CellPlace& at) { open.push_back(child(key, at)); });
  }
}

std::vector<CellKey> Spacetree::leaves_in_order() const {
  const auto children = static_cast<std::uint64_t>(power(grid_.refinement, 3));
  std::vector<std::pair<std::uint64_t, CellKey>> ordered;
  ordered.reserve(leaves_.size());
  for (const auto& [key, unused] : leaves_) {
    std::uint64_t index = curve_index(key.place, root_digits_ + key.level, grid_.refinement);
    for (int level = key.level; level < deepest_; ++level) index *= children;
    ordered.emplace_back(index, key);
  }
  std::sort(ordered.begin(), ordered.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<CellKey> result;
  result.reserve(ordered.size());
  for (const auto& [index, key] : ordered) result.push_back(key);
  return result;
}

}  // namespace seismic
