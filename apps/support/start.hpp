// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <roam/roam.hpp>
#include <string>

namespace support {

/// The initial placement of objects, on a machine whose nodes have two sockets of four cores; the
/// ranks are these cores in the order of the tree.
enum class Start {
  tree,     ///< consecutive objects on consecutive ranks
  renamed,  ///< as tree, but cores of a socket, and sockets of a node, have changed places at
            ///< random
  sockets,  ///< by nodes, alternating between the two sockets of a node
  nodes,    ///< alternating between the nodes
  shuffled  ///< in a random order, the same in every run with as many objects
};

inline constexpr std::int32_t sockets_of_node = 2;
inline constexpr std::int32_t cores_of_socket = 4;
inline constexpr std::int32_t cores_of_node = sockets_of_node * cores_of_socket;

/// The starts by their names on the command line.
[[nodiscard]] const std::map<std::string, Start>& starts();

/// Describes why a start is not possible on that many ranks; empty if it is. All starts but
/// `tree` and `shuffled` need whole nodes.
[[nodiscard]] std::string problem_with(Start start, std::int32_t ranks);

/// The rank of a core, 0 to ranks - 1, in the order in which a start fills the cores.
[[nodiscard]] std::int32_t rank_of_core(Start start, std::int32_t core, std::int32_t ranks);

/// The position of an object, 0 to objects - 1, in the order in which a start places them: itself,
/// or with `shuffled` an element of a random permutation, which is computed without a table (a
/// Feistel network that is applied until it gives a number below `objects`; Black and Rogaway,
/// "Ciphers with arbitrary finite domains", 2002, method 2).
[[nodiscard]] std::uint64_t position_of(Start start, std::uint64_t object, std::uint64_t objects);

/// The rank on which a start places an object; the numbers of objects per rank differ by one at
/// most.
[[nodiscard]] std::int32_t rank_of_object(Start start, std::uint64_t object, std::uint64_t objects,
                                          std::int32_t ranks);

/// The number of an index in a collection whose last coordinate varies fastest.
template <int D>
[[nodiscard]] std::uint64_t number_of(const roam::Index<D>& index, const roam::Index<D>& extent) {
  std::int64_t number = 0;
  for (int d = 0; d < D; ++d) number = number * extent[d] + index[d];
  return static_cast<std::uint64_t>(number);
}

/// The function of a placement, for roam::Placement::by.
template <Start S, int D>
[[nodiscard]] std::int32_t placed(roam::Index<D> index, roam::Index<D> extent, std::int32_t ranks) {
  std::uint64_t count = 1;
  for (int d = 0; d < D; ++d) count *= static_cast<std::uint64_t>(extent[d]);
  return rank_of_object(S, number_of(index, extent), count, ranks);
}

/// The placement of a collection of D dimensions for a start.
template <int D>
[[nodiscard]] roam::Placement placement_of(Start start) {
  switch (start) {
    case Start::renamed:
      return roam::Placement::by<&placed<Start::renamed, D>>();
    case Start::sockets:
      return roam::Placement::by<&placed<Start::sockets, D>>();
    case Start::nodes:
      return roam::Placement::by<&placed<Start::nodes, D>>();
    case Start::shuffled:
      return roam::Placement::by<&placed<Start::shuffled, D>>();
    case Start::tree:
      break;
  }
  return roam::Placement::by<&placed<Start::tree, D>>();
}

}  // namespace support
