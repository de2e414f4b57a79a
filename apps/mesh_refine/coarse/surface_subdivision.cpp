// SPDX-License-Identifier: Apache-2.0
#include "coarse/surface_subdivision.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <unordered_map>

namespace mesh_refine {
namespace {

constexpr std::uint32_t no_triangle = 0xffffffffU;

std::uint64_t edge_key(PointIndex a, PointIndex b) {
  return (std::uint64_t{std::min(a, b)} << 32U) | std::uint64_t{std::max(a, b)};
}

class EdgeSplitter {
 public:
  EdgeSplitter(SurfaceMesh mesh, const SizeField& size, double factor)
      : mesh_(std::move(mesh)), size_(size), factor_(factor) {}

  std::optional<SurfaceMesh> run(std::size_t most_new) {
    const std::size_t before = mesh_.triangles.size();
    for (std::size_t t = 0; t < mesh_.triangles.size(); ++t) {
      for (std::size_t i = 0; i < 3; ++i) {
        const auto [a, b] = edge(static_cast<std::uint32_t>(t), i);
        attach(a, b, static_cast<std::uint32_t>(t));
        if (a < b) consider(a, b);
      }
    }
    while (!queue_.empty()) {
      const auto [a, b] = queue_.top().ends;
      queue_.pop();
      if (mesh_.triangles.size() - before >= most_new) return std::nullopt;
      split(a, b);
    }
    return std::move(mesh_);
  }

 private:
  struct LongEdge {
    double excess = 0.0;  ///< length relative to the allowed one
    std::array<PointIndex, 2> ends{};

    friend bool operator<(const LongEdge& x, const LongEdge& y) {
      return x.excess != y.excess ? x.excess < y.excess : x.ends > y.ends;
    }
  };

  std::array<PointIndex, 2> edge(std::uint32_t t, std::size_t i) const {
    const auto& p = mesh_.triangles[t].point;
    return {p[i], p[(i + 1) % 3]};
  }

  void attach(PointIndex a, PointIndex b, std::uint32_t t) {
    auto& pair =
        triangles_at_
            .try_emplace(edge_key(a, b), std::array<std::uint32_t, 2>{no_triangle, no_triangle})
            .first->second;
    pair[pair[0] == no_triangle ? 0 : 1] = t;
  }

  void replace(PointIndex a, PointIndex b, std::uint32_t before, std::uint32_t after) {
    auto& pair = triangles_at_.at(edge_key(a, b));
    pair[pair[0] == before ? 0 : 1] = after;
  }

  void consider(PointIndex a, PointIndex b) {
    const Point3& p = mesh_.points[a];
    const Point3& q = mesh_.points[b];
    const double excess = norm(q - p) / (factor_ * size_.at(0.5 * (p + q)));
    if (excess > 1.0) queue_.push({excess, {std::min(a, b), std::max(a, b)}});
  }

  /// An edge changes only by being split itself, so a queued one is always still there.
  void split(PointIndex a, PointIndex b) {
    const auto middle = static_cast<PointIndex>(mesh_.points.size());
    mesh_.points.push_back(0.5 * (mesh_.points[a] + mesh_.points[b]));
    const auto node = triangles_at_.extract(edge_key(a, b));
    for (const std::uint32_t t : node.mapped()) split_triangle(t, a, b, middle);
    consider(a, middle);
    consider(middle, b);
  }

  void split_triangle(std::uint32_t t, PointIndex a, PointIndex b, PointIndex middle) {
    auto& p = mesh_.triangles[t].point;
    const auto third =
        *std::ranges::find_if(p, [&](PointIndex corner) { return corner != a && corner != b; });
    const auto other = static_cast<std::uint32_t>(mesh_.triangles.size());
    Triangle half{p};
    std::ranges::replace(half.point, a, middle);
    std::ranges::replace(p, b, middle);
    mesh_.triangles.push_back(half);
    replace(b, third, t, other);
    attach(a, middle, t);
    attach(middle, b, other);
    attach(middle, third, t);
    attach(middle, third, other);
    consider(middle, third);
  }

  SurfaceMesh mesh_;
  const SizeField& size_;
  double factor_;
  std::unordered_map<std::uint64_t, std::array<std::uint32_t, 2>> triangles_at_;
  std::priority_queue<LongEdge> queue_;
};

}  // namespace

std::optional<SurfaceMesh> subdivide_surface(SurfaceMesh mesh, const SizeField& size, double factor,
                                             std::size_t most_new) {
  return EdgeSplitter(std::move(mesh), size, factor).run(most_new);
}

BoundedSubdivision subdivide_within(const SurfaceMesh& mesh, const SizeField& size, double factor,
                                    std::size_t most_new) {
  constexpr int halvings = 3;  // of the interval, on a logarithmic scale
  BoundedSubdivision result{{}, size};
  auto surface = subdivide_surface(mesh, size, factor, most_new);
  double too_small = 1.0;
  while (!surface) {
    too_small = result.enlargement;
    result.enlargement *= 2.0;
    surface = subdivide_surface(mesh, size.enlarged(result.enlargement), factor, most_new);
  }
  for (int i = 0; i < halvings && result.enlargement > 1.0; ++i) {
    const double middle = std::sqrt(too_small * result.enlargement);
    auto finer = subdivide_surface(mesh, size.enlarged(middle), factor, most_new);
    (finer ? result.enlargement : too_small) = middle;
    if (finer) surface = std::move(finer);
  }
  result.size = size.enlarged(result.enlargement);
  const auto fitted = static_cast<double>(surface->triangles.size());
  result.wanted_triangles = fitted;
  if (result.enlargement > 1.0) {
    // The number of triangles grows with the square of the lengths for sheets, and with the lengths
    // for rods. Lengths far apart compensate for the doubling of the number in each step.
    constexpr double apart = 8.0;
    const auto coarser = subdivide_surface(mesh, size.enlarged(apart * result.enlargement), factor);
    const auto added = [&](const SurfaceMesh& m) {
      return static_cast<double>(m.triangles.size() - mesh.triangles.size() + 1);
    };
    const double order = std::log(added(*surface) / added(*coarser)) / std::log(apart);
    result.wanted_triangles *= std::pow(result.enlargement, std::clamp(order, 1.0, 2.0));
  }
  result.surface = std::move(*surface);
  return result;
}

}  // namespace mesh_refine
