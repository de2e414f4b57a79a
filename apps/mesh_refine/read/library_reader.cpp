// SPDX-License-Identifier: Apache-2.0
#include "read/library_reader.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <string>

#include "coarse/external_program.hpp"
#include "coarse/temporary_directory.hpp"
#include "read/byte_reader.hpp"
#include "read/input_error.hpp"
#include "read/polygon_surface.hpp"
#include "read/text_scanner.hpp"

namespace mesh_refine {

extern const char* const read_mesh_script;  // read_mesh.py, see CMakeLists.txt

namespace {

constexpr int unusable = 2;
constexpr int no_library = 3;
constexpr int killed_by_signal = 128;  // and the signal's number
constexpr std::chrono::minutes time_limit{10};

/// The output of read_mesh.py. It comes from a file of the user's, so all of it is checked.
class ScriptResult {
 public:
  ScriptResult(const std::filesystem::path& file, std::string_view bytes)
      : file_(file),
        scanner_(file, {}, '\0'),
        bytes_(scanner_, bytes, std::endian::native),
        most_(static_cast<std::int64_t>(bytes.size() / sizeof(std::int64_t))) {}

  std::variant<SurfaceMesh, TetMesh> take() {
    const std::size_t points = count();
    const std::size_t polygons = count();
    const std::size_t corners = count();
    const std::size_t tets = count();
    PolygonSurface surface;
    for (std::size_t i = 0; i < points; ++i) surface.points.push_back(point());
    std::int64_t end = 0;
    for (std::size_t i = 0; i < polygons; ++i) {
      end = index(end, static_cast<std::int64_t>(corners));
      surface.ends.push_back(static_cast<std::size_t>(end));
    }
    const auto last = static_cast<std::int64_t>(points) - 1;
    for (std::size_t i = 0; i < corners; ++i) {
      surface.corners.push_back(static_cast<PointIndex>(index(0, last)));
    }
    if (tets == 0) return triangulate(std::move(surface), file_);
    TetMesh mesh{std::move(surface.points), std::vector<Tetrahedron>(tets)};
    for (Tetrahedron& tet : mesh.tets) {
      for (PointIndex& corner : tet.point) corner = static_cast<PointIndex>(index(0, last));
    }
    return mesh;
  }

 private:
  std::size_t count() { return static_cast<std::size_t>(index(0, most_)); }

  Point3 point() {
    std::array<double, 3> x{};
    for (double& value : x) {
      value = bytes_.take<double>();
      check_coordinate(scanner_, value, "a coordinate");
    }
    return {x[0], x[1], x[2]};
  }

  std::int64_t index(std::int64_t least, std::int64_t most) {
    const auto value = bytes_.take<std::int64_t>();
    if (value < least || value > most) {
      throw InputError(file_, 0, "point index " + std::to_string(value),
                       "an index from " + std::to_string(least) + " to " + std::to_string(most));
    }
    return value;
  }

  const std::filesystem::path& file_;
  TextScanner scanner_;  ///< for its error messages
  ByteReader bytes_;
  std::int64_t most_;  ///< values that fit into the bytes
};

/// The last line; libraries may print messages of their own before the script's.
std::string_view last_line(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  return text.substr(text.find_last_of('\n') + 1);
}

[[noreturn]] void fail(const std::filesystem::path& file, const ProgramResult& result) {
  const std::string_view line = last_line(result.output);
  const std::size_t tab = line.find('\t');
  if (result.exit_status == unusable && tab != std::string_view::npos) {
    throw InputError(file, 0, std::string(line.substr(0, tab)), std::string(line.substr(tab + 1)));
  }
  if (result.exit_status >= killed_by_signal && !result.timed_out) {
    throw InputError(file, 0,
                     "what crashes the library that reads it (exit status " +
                         std::to_string(result.exit_status) + ")",
                     "a whole " + file.extension().string() + " file");
  }
  const std::string name(line);
  if (result.exit_status == no_library) {
    throw PreparationError("reading " + file.string() + " needs the Python library " + name +
                           "; install it (apt-get install " +
                           (name == "vtk" ? "python3-vtk9" : "python3-" + name) +
                           ", or pip install " + name + ")");
  }
  throw PreparationError("reading " + file.string() + " by Python failed with exit status " +
                         std::to_string(result.exit_status) +
                         (result.timed_out ? " after 10 minutes: " : ": ") + name);
}

}  // namespace

bool is_read_by_library(std::string_view extension) {
  constexpr std::array<std::string_view, 10> extensions{".vtk", ".vtu", ".vtp", ".msh", ".meshb",
                                                        ".inp", ".bdf", ".vol", ".su2", ".med"};
  return std::ranges::find(extensions, extension) != extensions.end();
}

std::variant<SurfaceMesh, TetMesh> read_by_library(const std::filesystem::path& file) {
  (void)read_file(file);  // throws our error message if the file does not exist
  const TemporaryDirectory directory;
  const std::filesystem::path script = directory.path() / "read_mesh.py";
  const std::filesystem::path result_file = directory.path() / "result";
  std::ofstream(script) << read_mesh_script;
  const ProgramResult result = run_program(
      {"python3", script.string(), std::filesystem::absolute(file).string(), result_file.string()},
      directory, time_limit,
      "install it to read " + file.extension().string() +
          " files (apt-get install python3), or give an .off, .stl or .ply file");
  if (result.exit_status != 0) fail(file, result);
  return ScriptResult(file, read_file(result_file)).take();
}

}  // namespace mesh_refine
