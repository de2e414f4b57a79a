// SPDX-License-Identifier: Apache-2.0
#include "topology/yaml_document.hpp"

#ifdef ROAM_HAS_YAML
#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "topology/refuse.hpp"
#endif

namespace roam::topology {

const YamlValue* YamlValue::find(std::string_view member) const {
  for (const YamlValue& child : children)
    if (child.key == member) return &child;
  return nullptr;
}

#ifdef ROAM_HAS_YAML

namespace {

constexpr std::size_t max_yaml_bytes = 4U << 20U;
constexpr std::size_t max_yaml_values = 1'000'000;
constexpr int max_yaml_depth = 64;

/// Copies what the library has read. Values are counted, because an alias of an alias of ... can
/// stand for any number of them.
class YamlCopy {
 public:
  explicit YamlCopy(const std::string& origin) : origin_(origin) {}

  YamlValue copy(const YAML::Node& node, int depth) {
    YamlValue value;
    value.place = origin_ + ":" + std::to_string(std::max(node.Mark().line, 0) + 1);
    if (depth > max_yaml_depth || ++values_ > max_yaml_values)
      refuse(value.place, "found too many values, or too many inside each other");
    if (node.IsScalar()) {
      value.kind = YamlValue::Kind::text;
      value.text = node.Scalar();
    } else if (node.IsSequence()) {
      value.kind = YamlValue::Kind::list;
      for (const YAML::Node& element : node) value.children.push_back(copy(element, depth + 1));
    } else if (node.IsMap()) {
      value.kind = YamlValue::Kind::table;
      for (const auto& member : node) {
        if (!member.first.IsScalar()) refuse(value.place, "found a key that is not a text");
        YamlValue child = copy(member.second, depth + 1);
        child.key = member.first.Scalar();
        if (value.find(child.key) != nullptr) refuse(child.place, child.key + ": given twice");
        value.children.push_back(std::move(child));
      }
    }
    return value;
  }

 private:
  const std::string& origin_;
  std::size_t values_ = 0;
};

}  // namespace

YamlValue parse_yaml(std::string_view text, const std::string& origin) {
  if (text.size() > max_yaml_bytes)
    refuse(origin, "found more than 4 MiB, which no description of a cluster has");
  try {
    return YamlCopy(origin).copy(YAML::Load(std::string(text)), 0);
  } catch (const YAML::Exception& error) {
    const int line = std::max(error.mark.line, 0) + 1;
    refuse(origin + ":" + std::to_string(line), error.msg);
  }
}

#else

YamlValue parse_yaml(std::string_view, const std::string& origin) {
  throw ConfigError(origin +
                    ": this Roam was built without yaml-cpp and reads no YAML; allowed is "
                    "topology.conf, or a build with it (Debian: libyaml-cpp-dev)");
}

#endif

}  // namespace roam::topology
