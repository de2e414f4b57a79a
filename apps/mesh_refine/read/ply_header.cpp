// SPDX-License-Identifier: Apache-2.0
#include "read/ply_header.hpp"

#include <array>
#include <utility>

namespace mesh_refine {
namespace {

PlyType type_named(TextScanner& scanner) {
  static constexpr std::array<std::pair<std::string_view, PlyType>, 16> names{{
      {"char", PlyType::int8},
      {"int8", PlyType::int8},
      {"uchar", PlyType::uint8},
      {"uint8", PlyType::uint8},
      {"short", PlyType::int16},
      {"int16", PlyType::int16},
      {"ushort", PlyType::uint16},
      {"uint16", PlyType::uint16},
      {"int", PlyType::int32},
      {"int32", PlyType::int32},
      {"uint", PlyType::uint32},
      {"uint32", PlyType::uint32},
      {"float", PlyType::float32},
      {"float32", PlyType::float32},
      {"double", PlyType::float64},
      {"float64", PlyType::float64},
  }};
  const std::string_view word = scanner.next_word();
  for (const auto& [name, type] : names) {
    if (name == word) return type;
  }
  scanner.fail(shown(word), "a PLY scalar type such as float, double, int or uchar");
}

PlyProperty read_property(TextScanner& scanner) {
  PlyProperty property;
  if (scanner.peek_word() == "list") {
    (void)scanner.next_word();
    property.is_list = true;
    property.length_type = type_named(scanner);
    if (property.length_type == PlyType::float32 || property.length_type == PlyType::float64) {
      scanner.fail("a list length that is not an integer", "an integer type");
    }
  }
  property.type = type_named(scanner);
  property.name = scanner.next_word();
  return property;
}

void read_format(TextScanner& scanner, PlyHeader& header) {
  const std::string_view format = scanner.next_word();
  if (format != "ascii" && format != "binary_little_endian" && format != "binary_big_endian") {
    scanner.fail(shown(format), "the PLY format ascii, binary_little_endian or binary_big_endian");
  }
  scanner.rest_of_line();
  header.binary = format != "ascii";
  header.order = format == "binary_big_endian" ? std::endian::big : std::endian::little;
}

}  // namespace

PlyHeader read_ply_header(TextScanner& scanner) {
  PlyHeader header;
  if (scanner.peek_word() != "ply") {
    scanner.fail(shown(scanner.peek_word()), "the word 'ply' at the start of a PLY file");
  }
  scanner.rest_of_line();
  for (;;) {
    const std::string_view word = scanner.next_word();
    if (word == "format") {
      read_format(scanner, header);
    } else if (word == "comment" || word == "obj_info") {
      scanner.rest_of_line();
    } else if (word == "element") {
      PlyElement element;
      element.name = scanner.next_word();
      element.count = scanner.count("an element count", 0);
      header.elements.push_back(element);
    } else if (word == "property" && !header.elements.empty()) {
      header.elements.back().properties.push_back(read_property(scanner));
    } else if (word == "end_header") {
      scanner.rest_of_line();
      return header;
    } else {
      scanner.fail(shown(word), "a PLY header line (is 'end_header' missing?)");
    }
  }
}

}  // namespace mesh_refine
