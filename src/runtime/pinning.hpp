// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "roam/runtime/options.hpp"
#include "roam/topology/detail/place.hpp"
#include "roam/transport/network.hpp"

namespace roam {

/// For each of the `ranks` ranks of this process the processor of each worker, as options.pin has
/// it; empty lists if workers are not bound. Workers are numbered through all ranks of this
/// machine, and take processors in turn: of those that this process may use, so that a launcher
/// that has given each process its own is followed. options.workers is known. Throws ConfigError
/// for cores that there are not, and if hwloc is needed and missing.
[[nodiscard]] std::vector<topology::Processors> processors_of_workers(
    const Options& options, const transport::Network& network, std::size_t ranks);

}  // namespace roam
