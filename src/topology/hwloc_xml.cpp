// SPDX-License-Identifier: Apache-2.0
#include "roam/topology/detail/hwloc_xml.hpp"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

#include "roam/core/detail/text.hpp"
#include "topology/cpu_set.hpp"
#include "topology/spans.hpp"
#include "topology/xml_tags.hpp"

namespace roam::topology {

namespace {

constexpr int newest_version = 3;

// The order of levels, outermost first, where containment does not determine it.
constexpr LevelRule node_levels[] = {{"machine"},  {"package"},  {"die", true},  {"NUMA"},
                                     {"L5", true}, {"L4", true}, {"L3"},         {"core"},
                                     {"L2", true}, {"L1", true}, {"group", true}};

/// An object of the file that contains others and has not been closed.
struct OpenObject {
  std::string level;  // empty: it contains others, but is no level itself
  std::string name;
  std::size_t first_leaf = 0;
  bool is_memory = false;  // a NUMA node, or a cache in front of one
  /// Names of the memory that is attached to it and near to all that it contains.
  std::vector<std::string> memory = {};
};

class NodeReader {
 public:
  NodeReader(std::string_view xml, std::string_view origin) : tags_(xml, origin), origin_(origin) {}

  MachineTree read() {
    read_root();
    while (const auto tag = tags_.next()) {
      if (tag->name != "object") {
        if (tag->opens) read_other(*tag);
        continue;
      }
      if (tag->opens) open(*tag);
      if (tag->closes) close();
    }
    bar_leaves();
    std::ranges::reverse(spans_);  // outer spans were closed last
    return tree_of_spans(std::move(spans_), leaves_, "PU", node_levels, origin_);
  }

 private:
  void read_root() {
    const auto root = tags_.next();
    if (!root || root->name != "topology")
      tags_.refuse(root ? root->line : 1, "found no <topology>; this is not a file of hwloc");
    const std::string_view version = root->attribute("version").value_or("1.0");
    const auto major = core::read_number<int>(version.substr(0, version.find('.')));
    if (!major) {
      tags_.refuse(root->line,
                   "found version \"" + std::string(version) + "\", allowed is a number");
    }
    if (*major < 1 || *major > newest_version) {
      tags_.refuse(root->line, "found version " + std::string(version) +
                                   " of hwloc's XML, allowed are 1 to " +
                                   std::to_string(newest_version) + ".x");
    }
  }

  /// Reads the sets of allowed and online processors, which are given at the outermost object; all
  /// other objects are skipped.
  void read_sets(const XmlTag& tag) {
    for (const char* key : {"allowed_cpuset", "online_cpuset"}) {
      const auto text = tag.attribute(key);
      if (!text) continue;
      auto set = CpuSet::parse(*text);
      if (!set) {
        tags_.refuse(tag.line, std::string(key) + ": found \"" + std::string(*text) +
                                   "\", allowed is a set of processors as in 0x000000ff");
      }
      usable_.push_back(std::move(*set));
    }
  }

  void read_other(const XmlTag& tag) {
    if (tag.name == "topology") tags_.refuse(tag.line, "found <topology> inside of <topology>");
  }

  void open(const XmlTag& tag) {
    const auto type = tag.attribute("type");
    if (!type) tags_.refuse(tag.line, "found an object without a type");
    if (skipped_ > 0 || *type == "PU" || is_device(*type)) {
      // Objects inside of these are not part of the tree.
      if (skipped_ == 0 && *type == "PU") add_leaf(tag);
      ++skipped_;
      return;
    }
    if (objects_.empty()) {
      if (had_outermost_) tags_.refuse(tag.line, "found a second outermost object");
      had_outermost_ = true;
      read_sets(tag);
    }
    objects_.push_back({level_of(tag, *type), "", leaves_.size()});
    OpenObject& object = objects_.back();
    object.is_memory = object.level == "NUMA" || *type == "MemCache";
    if (object.level != "NUMA") return;
    object.name = "NUMA " + number_of(tag);
    // If no processor is near, the set is given and empty.
    const auto near = CpuSet::parse(tag.attribute("cpuset").value_or("0x1"));
    if (near && near->is_empty()) object.level.clear();
  }

  void close() {
    if (skipped_ > 0) {
      --skipped_;
      return;
    }
    OpenObject object = std::move(objects_.back());
    objects_.pop_back();
    const TreeRange leaves{static_cast<std::int32_t>(object.first_leaf),
                           static_cast<std::int32_t>(leaves_.size())};
    if (leaves.size() == 0) {
      // Memory is listed inside of what it belongs to, beside the processors. An object that
      // neither has processors nor is memory is left out with all that it contains.
      if (object.level == "NUMA") object.memory.push_back(object.name);
      if (!object.is_memory || objects_.empty()) return;
      std::vector<std::string>& memory = objects_.back().memory;
      memory.insert(memory.end(), object.memory.begin(), object.memory.end());
      return;
    }
    for (auto memory = object.memory.rbegin(); memory != object.memory.rend(); ++memory)
      spans_.push_back({"NUMA", std::move(*memory), leaves});
    if (!object.level.empty())
      spans_.push_back({std::move(object.level), std::move(object.name), leaves});
  }

  void add_leaf(const XmlTag& tag) {
    const std::string text = number_of(tag);
    const std::int32_t processor = core::read_number<std::int32_t>(text).value_or(-1);
    if (processor < 0)
      tags_.refuse(tag.line, "found PU \"" + text + "\", allowed is a whole number from 0");
    if (!processors_.insert(processor).second)
      tags_.refuse(tag.line, "PU " + text + " stands here for the second time");
    leaves_.push_back({.processor = processor});
  }

  void bar_leaves() {
    for (TreeLeaf& leaf : leaves_)
      for (const CpuSet& set : usable_)
        leaf.is_usable = leaf.is_usable && set.contains(leaf.processor);
  }

  static std::string number_of(const XmlTag& tag) {
    return std::string(tag.attribute("os_index").value_or("?"));
  }

  static bool is_device(std::string_view type) {
    return type == "Bridge" || type == "PCIDev" || type == "OSDev" || type == "Misc";
  }

  /// The tree's level of an object; empty if it is none.
  static std::string level_of(const XmlTag& tag, std::string_view type) {
    if (type == "Machine" || type == "System") return "machine";
    if (type == "Package" || type == "Socket") return "package";
    if (type == "NUMANode" || type == "Node") return "NUMA";
    if (type == "Die" || type == "Group" || type == "Core") {
      std::string level(type);
      level[0] = static_cast<char>(level[0] + 32);
      return level;
    }
    if (type.size() == 7 && type[0] == 'L' && type.ends_with("Cache")) {
      const char depth = type[1];
      return depth >= '1' && depth <= '5' ? std::string("L") + depth : "";
    }
    if (type == "Cache") {  // version 1; type 2 stands for instruction caches
      const std::string_view depth = tag.attribute("depth").value_or("");
      const bool is_known = depth.size() == 1 && depth[0] >= '1' && depth[0] <= '5';
      if (is_known && tag.attribute("cache_type").value_or("0") != "2")
        return "L" + std::string(depth);
    }
    return "";
  }

  XmlTags tags_;
  std::string origin_;
  std::vector<OpenObject> objects_;
  std::vector<Span> spans_;
  std::vector<TreeLeaf> leaves_;
  std::unordered_set<std::int32_t> processors_;
  std::vector<CpuSet> usable_;  // a leaf has to be in all of them
  int skipped_ = 0;             // the number of open objects that are not part of the tree
  bool had_outermost_ = false;
};

}  // namespace

MachineTree parse_hwloc_xml(std::string_view xml, std::string_view origin) {
  return NodeReader(xml, origin).read();
}

}  // namespace roam::topology
