// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace roam::testing {

/// A line of Graphviz's language, read from its beginning; throws if it is not as expected.
class DrawnLine {
 public:
  explicit DrawnLine(std::string_view line) : line_(line), left_(line) {
    while (take(" ")) {
    }
  }
  /// Reads the text and returns true if it comes next.
  [[nodiscard]] bool take(std::string_view text) {
    if (!left_.starts_with(text)) return false;
    left_.remove_prefix(text.size());
    return true;
  }
  void expect(std::string_view text) {
    if (!take(text)) fail();
  }
  void expect_end() const {
    if (!left_.empty()) fail();
  }
  std::string word() {
    const auto end = std::ranges::find_if_not(
        left_, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
    if (end == left_.begin()) fail();
    return cut(static_cast<std::size_t>(end - left_.begin()));
  }
  /// A word, or a string without its quotes.
  std::string value() {
    if (!take("\"")) return word();
    std::size_t end = 0;
    while (end < left_.size() && left_[end] != '"') end += left_[end] == '\\' ? 2 : 1;
    if (end >= left_.size()) fail();
    std::string text = cut(end);
    expect("\"");
    return text;
  }
  /// What is in brackets, by name; each of `required` has to be there.
  std::map<std::string, std::string> attributes(const std::set<std::string>& required) {
    std::map<std::string, std::string> all;
    expect(" [");
    do {
      const std::string name = word();
      expect("=");
      all[name] = value();
    } while (take(", "));
    expect("]");
    for (const auto& name : required) {
      if (!all.contains(name)) fail();
    }
    return all;
  }
  [[noreturn]] void fail() const {
    throw std::runtime_error("not a statement: " + std::string(line_));
  }

 private:
  std::string cut(std::size_t size) {
    std::string text(left_.substr(0, size));
    left_.remove_prefix(size);
    return text;
  }
  std::string_view line_;
  std::string_view left_;
};

/// Reads the part of Graphviz's language that stuck graphs are written in; throws if it is anything
/// else.
struct DrawnGraph {
  std::map<std::string, std::string> labels;  // by node
  std::map<std::string, std::string> shapes;
  std::set<std::string> red_nodes;
  std::vector<std::pair<std::string, std::string>> edges;
  std::vector<std::pair<std::string, std::string>> red_edges;

  explicit DrawnGraph(const std::string& text) {
    std::istringstream lines(text);
    int depth = 0;
    for (std::string text_of_line; std::getline(lines, text_of_line);) {
      DrawnLine line(text_of_line);
      if (line.take("}")) {
        --depth;
      } else if (line.take("digraph ") || line.take("subgraph ")) {
        static_cast<void>(line.word());
        line.expect(" {");
        ++depth;
      } else {
        add_statement(line);
      }
      line.expect_end();
    }
    if (depth != 0) throw std::runtime_error("the braces do not match");
    for (const auto& [from, to] : edges) {
      if (!labels.contains(from) || !labels.contains(to))
        throw std::runtime_error("an edge of a node that is not declared");
    }
  }

  /// True if there are red nodes, and each of them has a red edge to it and one from it.
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

 private:
  using Attributes = std::map<std::string, std::string>;
  static bool has_red(const Attributes& attributes) {
    const auto color = attributes.find("color");
    return color != attributes.end() && color->second == "red";
  }
  static bool is_node(const std::string& name) {
    return name.size() > 1 && name[0] == 'n' &&
           name.find_first_not_of("0123456789", 1) == std::string::npos;
  }

  void add_statement(DrawnLine& line) {
    const std::string name = line.word();
    if (line.take("=")) {  // a setting of the graph
      static_cast<void>(line.value());
    } else if (line.take(" -> ")) {
      edges.emplace_back(name, line.word());
      if (has_red(line.attributes({"label"}))) red_edges.push_back(edges.back());
    } else if (is_node(name)) {
      const Attributes attributes = line.attributes({"label", "shape"});
      labels[name] = attributes.at("label");
      shapes[name] = attributes.at("shape");
      if (has_red(attributes)) red_nodes.insert(name);
    } else if (name == "node") {  // a setting of all nodes
      static_cast<void>(line.attributes({}));
    } else if (name == "more") {  // than is drawn
      static_cast<void>(line.attributes({"label", "shape"}));
    } else {
      line.fail();
    }
    line.expect(";");
  }
};

}  // namespace roam::testing
