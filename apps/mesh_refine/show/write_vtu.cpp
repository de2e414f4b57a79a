// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string_view>

#include "show/base64.hpp"
#include "show/mesh_output.hpp"

namespace mesh_refine {
namespace {

class VtuWriter {
 public:
  explicit VtuWriter(const std::filesystem::path& file)
      : file_(file), out_(file, std::ios::binary) {}

  void line(std::string_view text) { out_ << text << '\n'; }

  /// A data array; its bytes follow their own number (64 bits) in base64.
  template <class T>
  void array(std::string_view type, std::string_view name, int components,
             const std::vector<T>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    const std::uint64_t size = bytes.size();
    out_ << "<DataArray type=\"" << type << "\" Name=\"" << name << "\" NumberOfComponents=\""
         << components << "\" format=\"binary\">\n"
         << base64(std::as_bytes(std::span(&size, 1))) << base64(bytes) << "\n</DataArray>\n";
  }

  void finish() {
    out_.close();
    if (out_.fail()) {
      throw std::runtime_error("cannot write " + file_.string() +
                               " (is the directory there, is the disk full?)");
    }
  }

 private:
  std::filesystem::path file_;
  std::ofstream out_;
};

}  // namespace

void write_vtu(const OutputMesh& mesh, const std::filesystem::path& file) {
  static_assert(
      sizeof(Point3) == 3 * sizeof(double) && sizeof(Tetrahedron) == 4 * sizeof(PointIndex),
      "points and tetrahedra are written as they lie in memory");
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());
  if (4 * mesh.tets.size() > most) {
    throw std::runtime_error("too many tetrahedra for a file with 32-bit offsets");
  }
  std::vector<std::int32_t> ends(mesh.tets.size());
  for (std::size_t t = 0; t < ends.size(); ++t) ends[t] = static_cast<std::int32_t>(4 * (t + 1));
  const std::vector<std::uint8_t> types(mesh.tets.size(), 10);

  VtuWriter writer(file);
  writer.line("<?xml version=\"1.0\"?>");
  writer.line(
      "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">");
  writer.line("<UnstructuredGrid>");
  writer.line("<Piece NumberOfPoints=\"" + std::to_string(mesh.points.size()) +
              "\" NumberOfCells=\"" + std::to_string(mesh.tets.size()) + "\">");
  writer.line("<Points>");
  writer.array("Float64", "points", 3, mesh.points);
  writer.line("</Points>\n<Cells>");
  writer.array("Int32", "connectivity", 1, mesh.tets);
  writer.array("Int32", "offsets", 1, ends);
  writer.array("UInt8", "types", 1, types);
  writer.line("</Cells>\n<CellData Scalars=\"rank\">");
  writer.array("Int32", "subdomain", 1, mesh.subdomain);
  writer.array("Int32", "rank", 1, mesh.rank);
  writer.array("Float32", "quality", 1, mesh.quality);
  writer.line("</CellData>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>");
  writer.finish();
}

}  // namespace mesh_refine
