// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace roam::testing {

/// Reads the part of Graphviz's language that stuck graphs are written in; throws if it is anything
/// else.
struct DrawnGraph {
  std::map<std::string, std::string> labels;  // by node
  std::map<std::string, std::string> shapes;
  std::set<std::string> red_nodes;
  std::vector<std::pair<std::string, std::string>> edges;
  std::vector<std::pair<std::string, std::string>> red_edges;

  explicit DrawnGraph(const std::string& text) {
    static const std::regex node(
        R"re(\s*(n\d+) \[label="((?:[^"\\]|\\.)*)", shape=(\w+)((?:, \w+=\w+)*)\];)re");
    static const std::regex edge(
        R"re(\s*(n\d+) -> (n\d+) \[label="((?:[^"\\]|\\.)*)"((?:, \w+=\w+)*)\];)re");
    static const std::regex opening(R"(\s*(digraph|subgraph) \w+ \{)");
    static const std::regex setting(
        R"re(\s*(\w+=\w+|label="[^"]*"|node \[[^\]]*\]|more \[shape=\w+, label="[^"]*"\]);)re");
    std::istringstream lines(text);
    int depth = 0;
    for (std::string line; std::getline(lines, line);) {
      std::smatch found;
      if (std::regex_match(line, found, node)) {
        labels[found[1]] = found[2];
        shapes[found[1]] = found[3];
        if (found[4].str().find("color=red") != std::string::npos) red_nodes.insert(found[1]);
      } else if (std::regex_match(line, found, edge)) {
        edges.emplace_back(found[1], found[2]);
        if (found[4].str().find("color=red") != std::string::npos)
          red_edges.push_back(edges.back());
      } else if (std::regex_match(line, opening)) {
        ++depth;
      } else if (std::regex_match(line, std::regex(R"(\s*\})"))) {
        --depth;
      } else if (!std::regex_match(line, setting)) {
        throw std::runtime_error("not a statement: " + line);
      }
    }
    if (depth != 0) throw std::runtime_error("the braces do not match");
    for (const auto& [from, to] : edges) {
      if (!labels.contains(from) || !labels.contains(to))
        throw std::runtime_error("an edge of a node that is not declared");
    }
  }

  /// Every red node has a red edge to it and one from it, and there is one.
  [[nodiscard]] bool has_a_circle() const {
    std::set<std::string> from;
    std::set<std::string> to;
    for (const auto& [a, b] : red_edges) from.insert(a), to.insert(b);
    return !red_nodes.empty() && from == red_nodes && to == red_nodes;
  }
  [[nodiscard]] bool is_red(const std::string& part_of_label) const {
    for (const auto& node : red_nodes) {
      if (labels.at(node).find(part_of_label) != std::string::npos) return true;
    }
    return false;
  }
};

}  // namespace roam::testing
