// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "roam/mobile/detail/stuck_report.hpp"

namespace roam::mobile {

/// A graph of who waits for whom when a job is stuck.
class StuckGraph {
 public:
  enum class Kind : std::uint8_t { execution, object, multicast, missing_call };
  struct Node {
    Kind kind;
    std::int32_t rank;  // -1: not known
    std::string label;
    // Nodes with the same number wait for each other; 0: it is in no circle.
    std::uint64_t circle = 0;
  };
  struct Edge {
    std::size_t from;
    std::size_t to;
    const char* label;
  };
  explicit StuckGraph(const StuckFacts& facts);

  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
  [[nodiscard]] const std::vector<Edge>& edges() const { return edges_; }
  [[nodiscard]] std::uint64_t circles() const { return circles_; }
  [[nodiscard]] bool is_in_circle(const Edge& edge) const {
    return nodes_[edge.from].circle != 0 && nodes_[edge.from].circle == nodes_[edge.to].circle;
  }
  /// A shortest path round a circle: its edges, in order.
  [[nodiscard]] std::vector<Edge> way_round(std::uint64_t circle) const;

 private:
  std::size_t add(Kind kind, std::int32_t rank, std::string label);
  void connect(std::size_t from, std::size_t to, const char* label);
  std::size_t object_node(const StuckFacts& facts, std::uint64_t id);
  std::size_t multicast_node(std::uint64_t holder, std::int32_t rank);
  void add_waits(const StuckFacts& facts);
  void add_objects(const StuckFacts& facts);
  void add_multicasts(const StuckFacts& facts);
  void find_circles();
  [[nodiscard]] std::vector<Edge> way_back(std::size_t start) const;

  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::vector<std::vector<std::size_t>> out_;  // the edges that leave each node
  std::unordered_map<std::uint64_t, std::size_t> objects_;
  std::unordered_map<std::uint64_t, std::size_t> multicasts_;
  std::uint64_t circles_ = 0;
};

}  // namespace roam::mobile
