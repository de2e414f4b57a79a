// SPDX-License-Identifier: Apache-2.0
#include "support/start.hpp"

namespace support {

namespace {

/// A hash of up to 32 bits (the finaliser of SplitMix64).
std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15ULL;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return (value ^ (value >> 31)) >> 32;
}

/// A permutation of the numbers below 2^(2 x bits) (a Feistel network): four rounds, each of which
/// changes one half depending on the other.
std::uint64_t permuted(std::uint64_t value, unsigned bits) {
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  std::uint64_t upper = value >> bits;
  std::uint64_t lower = value & mask;
  for (std::uint64_t round = 0; round < 4; ++round) {
    const std::uint64_t changed = upper ^ (mixed(lower + (round << 32)) & mask);
    upper = lower;
    lower = changed;
  }
  return upper << bits | lower;
}

/// The core that takes the place of this one: of the same node, and of the same socket as its
/// neighbours.
std::int32_t renamed(std::int32_t core) {
  static_assert(sockets_of_node == 2 && cores_of_socket == 4);
  const auto number = static_cast<std::uint64_t>(core);
  const std::uint64_t in_socket = mixed(number / cores_of_socket) % cores_of_socket;
  const std::uint64_t in_node =
      mixed(~(number / cores_of_node)) % sockets_of_node * cores_of_socket;
  return static_cast<std::int32_t>(number ^ in_node ^ in_socket);
}

}  // namespace

const std::map<std::string, Start>& starts() {
  static const std::map<std::string, Start> by_name{{"tree", Start::tree},
                                                    {"renamed", Start::renamed},
                                                    {"sockets", Start::sockets},
                                                    {"nodes", Start::nodes},
                                                    {"shuffled", Start::shuffled}};
  return by_name;
}

std::string problem_with(Start start, std::int32_t ranks) {
  if (start == Start::tree || start == Start::shuffled || ranks % cores_of_node == 0) return {};
  return std::to_string(ranks) + " ranks are no whole nodes of " + std::to_string(cores_of_node) +
         ", which --start renamed, sockets and nodes need";
}

std::int32_t rank_of_core(Start start, std::int32_t core, std::int32_t ranks) {
  const std::int32_t nodes = ranks / cores_of_node;
  if (start == Start::renamed) return renamed(core);
  if (start == Start::sockets) {
    const std::int32_t of_node = core % cores_of_node;
    return core - of_node + of_node % sockets_of_node * cores_of_socket + of_node / sockets_of_node;
  }
  if (start == Start::nodes) return core % nodes * cores_of_node + core / nodes;
  return core;
}

std::uint64_t position_of(Start start, std::uint64_t object, std::uint64_t objects) {
  if (start != Start::shuffled) return object;
  unsigned bits = 1;
  while (bits < 31 && (std::uint64_t{1} << (2 * bits)) < objects) ++bits;
  std::uint64_t position = object;
  do {
    position = permuted(position, bits);
  } while (position >= objects);
  return position;
}

std::int32_t rank_of_object(Start start, std::uint64_t object, std::uint64_t objects,
                            std::int32_t ranks) {
  const std::uint64_t position = position_of(start, object, objects);
  const auto core = position * static_cast<std::uint64_t>(ranks) / objects;
  return rank_of_core(start, static_cast<std::int32_t>(core), ranks);
}

}  // namespace support
