// SPDX-License-Identifier: Apache-2.0
#include "byte_reader.hpp"
#include "ply_header.hpp"
#include "surface_readers.hpp"
#include "text_scanner.hpp"

namespace mesh_refine {
namespace {

/// Values of a PLY body, one at a time, whichever of the two formats it is in.
class PlyValues {
 public:
  PlyValues(TextScanner& scanner, bool binary)
      : scanner_(scanner), bytes_(scanner, binary ? scanner.unread() : ""), binary_(binary) {}

  double take(PlyType type) {
    if (!binary_) return scanner_.real("a property value");
    switch (type) {
      case PlyType::int8:
        return bytes_.take<std::int8_t>();
      case PlyType::uint8:
        return bytes_.take<std::uint8_t>();
      case PlyType::int16:
        return bytes_.take<std::int16_t>();
      case PlyType::uint16:
        return bytes_.take<std::uint16_t>();
      case PlyType::int32:
        return bytes_.take<std::int32_t>();
      case PlyType::uint32:
        return bytes_.take<std::uint32_t>();
      case PlyType::float32:
        return bytes_.take<float>();
      case PlyType::float64:
        return bytes_.take<double>();
    }
    return 0.0;
  }

 private:
  TextScanner& scanner_;
  ByteReader bytes_;
  bool binary_;
};

class PlyBody {
 public:
  PlyBody(TextScanner& scanner, const PlyHeader& header)
      : scanner_(scanner), header_(header), values_(scanner, header.binary) {}

  SurfaceMesh read() {
    for (const PlyElement& element : header_.elements) {
      for (std::size_t i = 0; i < element.count; ++i) {
        if (element.name == "vertex") {
          read_vertex(element);
        } else {
          read_face_or_skip(element);
        }
      }
    }
    for (const Triangle& triangle : mesh_.triangles) {
      for (const PointIndex p : triangle.point) {
        if (p >= mesh_.points.size()) {
          scanner_.fail("point index " + std::to_string(p),
                        "an index below " + std::to_string(mesh_.points.size()));
        }
      }
    }
    return std::move(mesh_);
  }

 private:
  void read_vertex(const PlyElement& element) {
    Point3 point;
    for (const PlyProperty& property : element.properties) {
      if (property.is_list) {
        (void)read_list(property);
        continue;
      }
      const double value = values_.take(property.type);
      if (property.name.size() != 1) continue;
      if (property.name == "x") point.x = value;
      if (property.name == "y") point.y = value;
      if (property.name == "z") point.z = value;
      check_coordinate(scanner_, value,
                       "a coordinate of vertex " + std::to_string(mesh_.points.size()));
    }
    mesh_.points.push_back(point);
  }

  void read_face_or_skip(const PlyElement& element) {
    for (const PlyProperty& property : element.properties) {
      if (!property.is_list) {
        (void)values_.take(property.type);
        continue;
      }
      const std::vector<double> list = read_list(property);
      const bool corners = property.name == "vertex_indices" || property.name == "vertex_index";
      if (element.name == "face" && corners) append_polygon(list);
    }
  }

  std::vector<double> read_list(const PlyProperty& property) {
    const double length = values_.take(property.length_type);
    if (!(length >= 0.0 && length <= 1000.0)) {
      scanner_.fail("a list of " + std::to_string(length) + " values", "at most 1000 values");
    }
    std::vector<double> list(static_cast<std::size_t>(length));
    for (double& value : list) value = values_.take(property.type);
    return list;
  }

  PointIndex corner(double value) {
    if (!(value >= 0.0 && value < 4294967295.0 && value == std::floor(value))) {
      scanner_.fail("point index " + std::to_string(value), "an integer that is not negative");
    }
    return static_cast<PointIndex>(value);
  }

  void append_polygon(const std::vector<double>& list) {
    if (list.size() < 3) scanner_.fail("a face of fewer than 3 corners", "at least 3 corners");
    for (std::size_t i = 2; i < list.size(); ++i) {
      const Triangle t{{corner(list[0]), corner(list[i - 1]), corner(list[i])}};
      if (t.point[0] == t.point[1] || t.point[1] == t.point[2] || t.point[2] == t.point[0]) {
        scanner_.fail("a face that names a point twice", "distinct corners");
      }
      mesh_.triangles.push_back(t);
    }
  }

  TextScanner& scanner_;
  const PlyHeader& header_;
  PlyValues values_;
  SurfaceMesh mesh_;
};

}  // namespace

SurfaceMesh read_ply(const std::filesystem::path& file, std::string_view text) {
  TextScanner scanner(file, text, '\0');
  const PlyHeader header = read_ply_header(scanner);
  return PlyBody(scanner, header).read();
}

}  // namespace mesh_refine
