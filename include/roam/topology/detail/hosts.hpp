// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace roam::topology {

/// Expands a host list into its names, in order: `tux[0-3,12],login` and `rack[0-1]node[00-15]`, as
/// Slurm writes them. Numbers have as many digits as the beginning of their range. Throws
/// ConfigError, one line that starts with `origin`, if the text is no host list or has more than
/// 1,000,000 names. Does not block; any thread.
[[nodiscard]] std::vector<std::string> expand_hosts(std::string_view text, std::string_view origin);

}  // namespace roam::topology
