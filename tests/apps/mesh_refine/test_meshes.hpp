// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "coarse/temporary_directory.hpp"
#include "read/input_error.hpp"
#include "read/tet_mesh_check.hpp"
#include "size/grading.hpp"

namespace mesh_refine::test {

/// The unit cube as cells^3 small cubes of six tetrahedra each (Kuhn), which fit together.
inline TetMesh cube_mesh(std::uint32_t cells) {
  TetMesh mesh;
  const std::uint32_t side = cells + 1;
  for (std::uint32_t k = 0; k < side; ++k) {
    for (std::uint32_t j = 0; j < side; ++j) {
      for (std::uint32_t i = 0; i < side; ++i) {
        mesh.points.push_back({static_cast<double>(i) / cells, static_cast<double>(j) / cells,
                               static_cast<double>(k) / cells});
      }
    }
  }
  const std::array<std::uint32_t, 3> step{1, side, side * side};
  const std::array<std::array<std::size_t, 3>, 6> paths{
      {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {1, 0, 2}, {0, 2, 1}, {2, 1, 0}}};
  for (std::uint32_t k = 0; k < cells; ++k) {
    for (std::uint32_t j = 0; j < cells; ++j) {
      for (std::uint32_t i = 0; i < cells; ++i) {
        const std::uint32_t corner = i + side * (j + side * k);
        for (const auto& path : paths) {
          const std::uint32_t a = corner + step[path[0]];
          const std::uint32_t b = a + step[path[1]];
          mesh.tets.push_back({{corner, a, b, b + step[path[2]]}});
        }
      }
    }
  }
  return check_tet_mesh(std::move(mesh), "cube");
}

/// Its surface, outward-oriented, without the points inside.
inline SurfaceMesh cube_surface(std::uint32_t cells) {
  SurfaceMesh surface = boundary_of(cube_mesh(cells));
  std::vector<PointIndex> index(surface.points.size(), 0xffffffffU);
  std::vector<Point3> points;
  for (Triangle& t : surface.triangles) {
    for (PointIndex& p : t.point) {
      if (index[p] == 0xffffffffU) {
        index[p] = static_cast<PointIndex>(points.size());
        points.push_back(surface.points[p]);
      }
      p = index[p];
    }
  }
  surface.points = std::move(points);
  return surface;
}

/// Appends another surface, scaled and moved.
inline void append(SurfaceMesh& mesh, const SurfaceMesh& other, double scale,
                   const Point3& offset) {
  const auto first = static_cast<PointIndex>(mesh.points.size());
  for (const Point3& p : other.points) mesh.points.push_back(scale * p + offset);
  for (Triangle t : other.triangles) {
    for (PointIndex& p : t.point) p += first;
    mesh.triangles.push_back(t);
  }
}

/// Files that vanish with the test.
class Files {
 public:
  std::filesystem::path write(const std::string& name, const std::string& content) {
    const std::filesystem::path file = directory_.path() / name;
    std::ofstream(file, std::ios::binary) << content;
    return file;
  }
  [[nodiscard]] const std::filesystem::path& path() const { return directory_.path(); }

 private:
  TemporaryDirectory directory_;
};

/// A variable of the environment that has another value for a while.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~Environment() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

/// Message of the InputError that `action` throws; "no error" when it throws none.
template <class Action>
std::string input_error_of(Action&& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace mesh_refine::test
