// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace roam::topology {

/// The names that a host list stands for, in its order: `tux[0-3,12],login` and
/// `rack[0-1]node[00-15]`, as Slurm writes them. Numbers keep the digits of the range's beginning.
/// Throws ConfigError, one line that starts with `origin`, for what is no host list and for more
/// than 1,000,000 names. Blocks nowhere; any thread.
[[nodiscard]] std::vector<std::string> expand_hosts(std::string_view text, std::string_view origin);

}  // namespace roam::topology
