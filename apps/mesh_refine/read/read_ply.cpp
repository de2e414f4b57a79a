// SPDX-License-Identifier: Apache-2.0
#include "read/byte_reader.hpp"
#include "read/ply_header.hpp"
#include "read/polygon_surface.hpp"
#include "read/surface_readers.hpp"
#include "read/text_scanner.hpp"

namespace mesh_refine {
namespace {

constexpr int longest_list = 100'000;

/// Values of a PLY body, one at a time, whichever of the two formats it is in.
class PlyValues {
 public:
  PlyValues(TextScanner& scanner, const PlyHeader& header)
      : scanner_(scanner),
        bytes_(scanner, header.binary ? scanner.unread() : "", header.order),
        binary_(header.binary) {}

  /// Passes over a value, which may be anything.
  void skip(PlyType type) {
    if (binary_) {
      (void)take(type);
    } else if (scanner_.next_word().empty()) {
      scanner_.fail("the end of the file", "a property value (is the file truncated?)");
    }
  }

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
      : scanner_(scanner), header_(header), values_(scanner, header) {}

  PolygonSurface read() {
    for (const PlyElement& element : header_.elements) {
      for (std::size_t i = 0; i < element.count; ++i) {
        if (element.name == "vertex") {
          read_vertex(element);
        } else {
          read_face_or_skip(element);
        }
      }
    }
    for (const PointIndex p : surface_.corners) {
      if (p >= surface_.points.size()) {
        scanner_.fail("point index " + std::to_string(p),
                      "an index below " + std::to_string(surface_.points.size()));
      }
    }
    return std::move(surface_);
  }

 private:
  void read_vertex(const PlyElement& element) {
    Point3 point;
    for (const PlyProperty& property : element.properties) {
      double* const coordinate = property.name == "x"   ? &point.x
                                 : property.name == "y" ? &point.y
                                 : property.name == "z" ? &point.z
                                                        : nullptr;
      if (coordinate == nullptr || property.is_list) {
        skip(property);
        continue;
      }
      *coordinate = values_.take(property.type);
      check_coordinate(scanner_, *coordinate,
                       "a coordinate of vertex " + std::to_string(surface_.points.size()));
    }
    surface_.points.push_back(point);
  }

  void read_face_or_skip(const PlyElement& element) {
    for (const PlyProperty& property : element.properties) {
      const bool corners = property.name == "vertex_indices" || property.name == "vertex_index";
      if (element.name == "face" && property.is_list && corners) {
        read_polygon(property);
      } else {
        skip(property);
      }
    }
  }

  std::size_t read_length(const PlyProperty& property) {
    const double length = values_.take(property.length_type);
    if (!(length >= 0.0 && length <= longest_list && length == std::floor(length))) {
      scanner_.fail("a list of " + std::to_string(length) + " values",
                    "at most " + std::to_string(longest_list) + " values");
    }
    return static_cast<std::size_t>(length);
  }

  void skip(const PlyProperty& property) {
    const std::size_t values = property.is_list ? read_length(property) : 1;
    for (std::size_t i = 0; i < values; ++i) values_.skip(property.type);
  }

  void read_polygon(const PlyProperty& property) {
    const std::size_t corners = read_length(property);
    if (corners < 3) scanner_.fail("a face of fewer than 3 corners", "at least 3 corners");
    for (std::size_t i = 0; i < corners; ++i) {
      surface_.corners.push_back(corner(values_.take(property.type)));
    }
    surface_.end_polygon();
  }

  PointIndex corner(double value) {
    if (!(value >= 0.0 && value < 4294967295.0 && value == std::floor(value))) {
      scanner_.fail("point index " + std::to_string(value), "an integer that is not negative");
    }
    return static_cast<PointIndex>(value);
  }

  TextScanner& scanner_;
  const PlyHeader& header_;
  PlyValues values_;
  PolygonSurface surface_;
};

}  // namespace

SurfaceMesh read_ply(const std::filesystem::path& file, std::string_view text) {
  TextScanner scanner(file, text, '\0');
  const PlyHeader header = read_ply_header(scanner);
  return triangulate(PlyBody(scanner, header).read(), file);
}

}  // namespace mesh_refine
