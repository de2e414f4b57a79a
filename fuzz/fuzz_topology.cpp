// SPDX-License-Identifier: Apache-2.0
// Whatever is given as the tree of a machine, it is read or refused with a ConfigError of one line;
// what was read holds together.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "roam/core/detail/machine_tree.hpp"
#include "roam/core/error.hpp"
#include "roam/topology/detail/hosts.hpp"
#include "roam/topology/detail/hwloc_xml.hpp"
#include "roam/topology/detail/join.hpp"
#include "roam/topology/detail/slurm.hpp"
#include "roam/topology/detail/source.hpp"
#include "roam/topology/detail/synthetic.hpp"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check_tree(const roam::MachineTree& tree) {
  const std::int32_t last = tree.leaves() - 1;
  require(!tree.usable_leaves().empty());
  require(tree.leaves_of(0, 0) == roam::TreeRange{0, tree.leaves()});
  for (std::size_t level = 0; level <= tree.depth(); ++level) {
    require(tree.ancestor(last, level) == tree.groups(level) - 1);
    require(tree.leaves_of(level, tree.ancestor(last, level)).contains(last));
  }
  require(tree.common_level(last, last) == tree.depth());
  if (tree.leaves() > 4096) return;
  // The notation has all but names and processors.
  const std::string text = roam::to_text(tree);
  require(roam::to_text(roam::parse_machine_tree(text, "input")) == text);
  (void)roam::topology::join(roam::parse_machine_tree("2", "input"),
                             roam::parse_machine_tree("2", "input"), "input");
}

template <class Read>
void try_to(const Read& read) {
  try {
    read();
  } catch (const roam::ConfigError& error) {
    // Refused with a message, as promised. Anything else that is thrown ends the run.
    const std::string_view line = error.what();
    require(line.starts_with("input") && line.find('\n') == std::string_view::npos);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  namespace topology = roam::topology;
  try_to([&] { check_tree(topology::parse_tree(text, "input")); });
  // What the contents would not have led to.
  if (size > 1024) return 0;
  try_to([&] { check_tree(topology::parse_hwloc_xml(text, "input")); });
  try_to([&] { check_tree(topology::parse_topology_conf(text, "input")); });
  try_to([&] { check_tree(topology::parse_topology_yaml(text, "input")); });
  try_to([&] { check_tree(topology::parse_synthetic(text, "input")); });
  try_to([&] { check_tree(roam::parse_machine_tree(text, "input")); });
  try_to([&] { (void)topology::expand_hosts(text, "input"); });
  return 0;
}
