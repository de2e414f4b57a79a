// SPDX-License-Identifier: Apache-2.0
// The graph of a stuck job in the language of Graphviz.
#include <map>

#include "stuck_graph.hpp"

namespace roam::mobile {

namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n') {
      result += "\\n";
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string name_of(std::size_t node) { return "n" + std::to_string(node); }

const char* shape_of(StuckGraph::Kind kind) {
  switch (kind) {
    case StuckGraph::Kind::execution:
      return "box";
    case StuckGraph::Kind::object:
      return "ellipse";
    case StuckGraph::Kind::multicast:
      return "hexagon";
    case StuckGraph::Kind::missing_call:
      break;
  }
  return "note";
}

std::string node_line(const StuckGraph& graph, std::size_t node) {
  const StuckGraph::Node& shown = graph.nodes()[node];
  std::string line = name_of(node) + " [label=" + quoted(shown.label) + ", shape=";
  line += shape_of(shown.kind);
  if (shown.kind == StuckGraph::Kind::missing_call) line += ", style=dashed";
  if (shown.circle != 0) line += ", color=red, penwidth=2";
  return line + "];\n";
}

}  // namespace

std::string draw(const StuckFacts& facts) {
  const StuckGraph graph(facts);
  std::map<std::int32_t, std::string> by_rank;
  for (std::size_t node = 0; node < graph.nodes().size(); ++node)
    by_rank[graph.nodes()[node].rank] += "    " + node_line(graph, node);
  std::string text = "digraph stuck {\n  rankdir=LR;\n  node [fontname=\"Helvetica\"];\n";
  for (const auto& [rank, nodes] : by_rank) {
    text += rank < 0 ? "  subgraph elsewhere {\n"
                     : "  subgraph cluster_" + std::to_string(rank) + " {\n    label=\"rank " +
                           std::to_string(rank) + "\";\n";
    text += nodes + "  }\n";
  }
  for (const StuckGraph::Edge& edge : graph.edges()) {
    text +=
        "  " + name_of(edge.from) + " -> " + name_of(edge.to) + " [label=\"" + edge.label + "\"";
    if (graph.is_in_circle(edge)) text += ", color=red, penwidth=2, style=bold";
    text += "];\n";
  }
  const std::uint64_t left_out =
      facts.waits_left_out + facts.objects_left_out + facts.epochs_left_out;
  if (left_out > 0)
    text += "  more [shape=plaintext, label=\"and " + std::to_string(left_out) + " more\"];\n";
  return text + "}\n";
}

}  // namespace roam::mobile
