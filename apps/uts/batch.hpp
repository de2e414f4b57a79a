// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <roam/roam.hpp>
#include <vector>

#include "tree.hpp"

namespace uts {

/// Adds up what ended on one rank: an element of a collection, one per rank. Its calls announce no
/// work, so it stays.
struct Tally {
  std::uint64_t nodes = 0;
  std::uint64_t calls = 0;
  void add(std::uint64_t more_nodes, std::uint64_t more_calls) {
    nodes += more_nodes;
    calls += more_calls;
  }
  [[nodiscard]] std::uint64_t all_nodes() const { return nodes; }
  [[nodiscard]] std::uint64_t all_calls() const { return calls; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(nodes, calls);
  }
};

/// What all batches know.
struct Search {
  Tree tree;
  std::uint64_t nodes_per_call = 1;
  std::uint64_t keep = 0;
  double node_seconds = 0;  ///< of virtual time
  roam::collection<Tally, 1> tallies;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(tree, nodes_per_call, keep, node_seconds, tallies);
  }
};

/// Some nodes whose subtrees are to be counted. It has one call at a time, in which it expands
/// some of them, those next to the root first; what is left goes to new batches, as many as give
/// each of them no more than one call's nodes, two at least. So what hangs on one node is soon many
/// objects, wherever the tree is large: the longest chain of calls is about as long as the tree is
/// deep.
struct Batch {
  std::vector<Node> nodes;
  std::uint64_t counted = 0;  ///< and not told to a tally
  std::uint64_t calls = 0;
  void expand(const Search& search, roam::mobile_ptr<Batch> self);
  template <class Archive>
  void serialize(Archive& archive) {
    archive(nodes, counted, calls);
  }

 private:
  void hand_over(const Search& search, const roam::mobile_ptr<Batch>& self);
  void give_away(const Search& search, std::size_t most);
};

}  // namespace uts
