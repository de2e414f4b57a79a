// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "roam/placement/detail/lb_data.hpp"

namespace roam::placement {

/// A file by its path, uncompressed where it is compressed with Brotli. Throws ConfigError that
/// starts with the path.
[[nodiscard]] LbText read_lb_file(const std::string& path);

/// Writes a file, compressed if `file.was_compressed`. Throws ConfigError that starts with the
/// path.
void write_lb_file(const std::string& path, const LbText& file);

}  // namespace roam::placement
