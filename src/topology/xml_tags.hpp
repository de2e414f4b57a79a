// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace roam::topology {

/// A tag of an XML document. Its texts are views into the document.
struct XmlTag {
  std::string_view name;
  bool opens = false;   ///< <name ...>
  bool closes = false;  ///< </name>; <name ... /> does both
  std::vector<std::pair<std::string_view, std::string_view>> attributes;  ///< values as written
  std::size_t line = 0;

  [[nodiscard]] std::optional<std::string_view> attribute(std::string_view name) const;
};

/// Reads the tags of an XML document one after the other, for XML as hwloc writes it. Text between
/// tags, comments, processing instructions and the document type are skipped; a document type with
/// definitions of its own is refused. Checks that tags are closed in order. Every error is a
/// ConfigError "ORIGIN:LINE: what is wrong". The document must outlive the reader.
class XmlTags {
 public:
  XmlTags(std::string_view document, std::string_view origin);

  /// The next tag; nullopt at the end of the document.
  [[nodiscard]] std::optional<XmlTag> next();

  /// Throws ConfigError that names the line of `tag`.
  [[noreturn]] void refuse(std::size_t line, const std::string& what) const;

 private:
  [[nodiscard]] bool skip_to_tag();
  void skip_past(std::string_view end, const char* what);
  void skip_spaces();
  [[nodiscard]] std::string_view read_name();
  void read_attribute(XmlTag& tag);
  void track(const XmlTag& tag);
  [[nodiscard]] bool at(std::string_view text) const {
    return document_.substr(position_).starts_with(text);
  }
  void advance(std::size_t count);

  std::string_view document_;
  std::string origin_;
  std::size_t position_ = 0;
  std::size_t line_ = 1;
  std::vector<std::string_view> open_;
  bool had_root_ = false;
};

}  // namespace roam::topology
