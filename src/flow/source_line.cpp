// SPDX-License-Identifier: Apache-2.0
#include "roam/flow/source_line.hpp"

#include <string_view>

namespace roam::flow {

std::string to_string(const SourceLine& where) {
  const std::string_view path(where.file);
  const std::size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1)) + ":" +
         std::to_string(where.line);
}

std::string to_string(const DatumLabel& label) {
  return to_string(label, label.element >= 0 ? std::to_string(label.element) : std::string());
}

std::string to_string(const DatumLabel& label, const std::string& index) {
  std::string text = label.name != nullptr ? label.name : "datum";
  if (!index.empty()) text += "[" + index + "]";
  return text + " (" + label.type + ", " + to_string(label.where) + ")";
}

}  // namespace roam::flow
