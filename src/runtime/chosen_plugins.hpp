// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "roam/runtime/options.hpp"

namespace roam {

/// Loads the chosen plug-ins that are in shared libraries and returns the options with the names of
/// balancer, load models and scheduler. Nothing has been started yet when one is refused: throws
/// ConfigError (what was given, what is allowed) for an unknown name or parameter, a value out of
/// range and a file that is no plug-in library. `ranks`, if known, bounds parameters that name a
/// rank.
[[nodiscard]] Options with_plugins(Options options, std::optional<std::int32_t> ranks);

/// How many of `ranks` ranks run the program: all but helpers. Throws ConfigError if none would.
[[nodiscard]] std::int32_t members_of(const Options& options, std::int32_t ranks);

/// The speed of rank number `index` of the `count` in this process. Throws ConfigError if
/// --roam-speed has neither one value nor one for each.
[[nodiscard]] double speed_of(const Options& options, std::size_t index, std::size_t count);

}  // namespace roam
