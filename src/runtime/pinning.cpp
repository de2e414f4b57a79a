// SPDX-License-Identifier: Apache-2.0
#include "pinning.hpp"

#include <string>

#include "roam/core/error.hpp"
#include "roam/topology/detail/pinning.hpp"
#include "roam/topology/detail/this_machine.hpp"

namespace roam {
namespace {

/// The order in which workers take processors.
topology::Processors order_of(const Pinning& pinning) {
  if (!topology::knows_this_machine()) {
    if (pinning.policy == Pinning::Policy::compact) return topology::processors_of_this_thread();
    throw ConfigError("--roam-pin=" + to_string(pinning) +
                      ": this Roam was built without hwloc, and does not know which cores are near "
                      "each other; allowed is --roam-pin=compact");
  }
  const MachineTree tree = topology::this_machine();
  const std::vector<std::int32_t> cores = pinning.policy == Pinning::Policy::cores ? pinning.cores
                                          : pinning.policy == Pinning::Policy::scatter
                                              ? topology::cores_far_apart(tree)
                                              : topology::cores_in_order(tree);
  return topology::processors_of_cores(tree, cores, "--roam-pin=" + to_string(pinning));
}

}  // namespace

std::vector<topology::Processors> processors_of_workers(const Options& options,
                                                        const transport::Network& network,
                                                        std::size_t ranks) {
  std::vector<topology::Processors> bound(ranks);
  if (!options.pin.binds()) return bound;
  const topology::Processors order = order_of(options.pin);
  if (order.empty()) return bound;  // the operating system does not say what there is
  auto next = static_cast<std::size_t>(network.ranks_before_on_this_machine()) * options.workers;
  for (topology::Processors& of_rank : bound) {
    for (std::uint32_t w = 0; w < options.workers; ++w) {
      of_rank.push_back(order[next++ % order.size()]);
    }
  }
  return bound;
}

}  // namespace roam
