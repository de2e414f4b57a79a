// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace roam::balance {

/// The text of a file, uncompressed where it is compressed with Brotli. Throws ConfigError that
/// starts with the path.
[[nodiscard]] std::string read_lb_file(const std::string& path);

}  // namespace roam::balance
