// SPDX-License-Identifier: Apache-2.0
#include "output/vtu.hpp"

#include <bit>
#include <cstdio>
#include <span>
#include <string>

#include "output/npy.hpp"

namespace seismic {
namespace {

static_assert(std::endian::native == std::endian::little,
              "arrays are written as they lie in memory");

/// Arrays behind the XML, each with its length in bytes before it.
class Appended {
 public:
  /// The element that refers to the array.
  template <class T>
  [[nodiscard]] std::string add(const std::string& type, const std::string& name,
                                std::size_t components, std::span<const T> values) {
    std::string element = "<DataArray type=\"" + type + "\" Name=\"" + name +
                          "\" NumberOfComponents=\"" + std::to_string(components) +
                          "\" format=\"appended\" offset=\"" + std::to_string(bytes_.size()) +
                          "\"/>\n";
    const std::uint64_t size = values.size_bytes();
    bytes_.append(reinterpret_cast<const char*>(&size), sizeof size);
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    return element;
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

std::vector<float> positions(const Mesh& mesh, const VerticalMap& map, int points) {
  std::vector<float> result;
  for (const Cell& cell : mesh.cells) {
    const auto at = [&](std::size_t axis, int k) {
      return cell.lower[axis] + cell.size * k / (points - 1);
    };
    for (int z = 0; z < points; ++z) {
      for (int y = 0; y < points; ++y) {
        for (int x = 0; x < points; ++x) {
          const Point point{at(0, x), at(1, y), at(2, z)};
          result.push_back(static_cast<float>(point[0]));
          result.push_back(static_cast<float>(point[1]));
          result.push_back(static_cast<float>(map.is_identity() ? point[2] : map.depth(point)));
        }
      }
    }
  }
  return result;
}

/// Corners of the hexahedra between the points, in VTK's order.
std::vector<std::int64_t> connections(std::size_t cells, int points) {
  std::vector<std::int64_t> result;
  const std::int64_t row = points, plane = row * points;
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const std::int64_t first = static_cast<std::int64_t>(cell) * plane * points;
    for (int z = 0; z + 1 < points; ++z) {
      for (int y = 0; y + 1 < points; ++y) {
        for (int x = 0; x + 1 < points; ++x) {
          const std::int64_t at = first + z * plane + y * row + x;
          for (const std::int64_t up : {std::int64_t{0}, plane}) {
            result.insert(result.end(), {at + up, at + up + 1, at + up + row + 1, at + up + row});
          }
        }
      }
    }
  }
  return result;
}

/// Each value as often as its cell has hexahedra.
std::vector<std::int32_t> repeated(const std::vector<std::int32_t>& values, std::size_t times) {
  std::vector<std::int32_t> result;
  for (const std::int32_t value : values) result.insert(result.end(), times, value);
  return result;
}

}  // namespace

void write_vtu(const std::filesystem::path& file, const Mesh& mesh, const VerticalMap& map,
               const Snapshot& snapshot) {
  const auto edge = static_cast<std::size_t>(snapshot.points - 1);
  const std::size_t parts = edge * edge * edge;
  const std::size_t count = mesh.cells.size() * parts;
  const std::vector<float> points = positions(mesh, map, snapshot.points);
  std::vector<std::int64_t> offsets;
  for (std::size_t k = 1; k <= count; ++k) offsets.push_back(static_cast<std::int64_t>(8 * k));
  constexpr std::uint8_t hexahedron = 12;
  const std::vector<std::uint8_t> types(count, hexahedron);
  std::vector<std::int32_t> level;
  for (const Cell& cell : mesh.cells) level.push_back(cell.key.level);

  const auto view = [](const auto& values) { return std::span(values); };
  Appended data;
  std::string text =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
      "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<UnstructuredGrid>\n"
      "<Piece NumberOfPoints=\"" +
      std::to_string(points.size() / 3) + "\" NumberOfCells=\"" + std::to_string(count) + "\">\n";
  text += "<PointData Vectors=\"velocity\">\n" +
          data.add("Float32", "velocity", 3, view(snapshot.velocity)) + "</PointData>\n";
  text += "<CellData>\n" + data.add("Int32", "level", 1, view(repeated(level, parts))) +
          data.add("Int32", "piece", 1, view(repeated(snapshot.piece, parts))) +
          data.add("Int32", "rank", 1, view(repeated(snapshot.rank, parts))) + "</CellData>\n";
  text += "<Points>\n" + data.add("Float32", "position", 3, view(points)) + "</Points>\n";
  text +=
      "<Cells>\n" +
      data.add("Int64", "connectivity", 1, view(connections(mesh.cells.size(), snapshot.points))) +
      data.add("Int64", "offsets", 1, view(offsets)) + data.add("UInt8", "types", 1, view(types)) +
      "</Cells>\n";
  text += "</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_";
  write_file(file, text + data.bytes() + "\n</AppendedData>\n</VTKFile>\n");
}

void write_pvd(const std::filesystem::path& file, const std::vector<SeriesEntry>& series) {
  std::string text =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
      "byte_order=\"LittleEndian\">\n<Collection>\n";
  for (const SeriesEntry& entry : series) {
    char line[64];
    std::snprintf(line, sizeof line, "<DataSet timestep=\"%.9g\" file=\"", entry.time);
    text += line + entry.file + "\"/>\n";
  }
  write_file(file, text + "</Collection>\n</VTKFile>\n");
}

}  // namespace seismic
