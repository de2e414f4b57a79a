// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "settings.hpp"

namespace synthetic {

/// Reads objects from a file of lines seconds,weight,bytes after a header line; the seconds are
/// multiplied by `scale`. Throws std::runtime_error (file, line, error) for anything else.
[[nodiscard]] std::vector<Cost> read_costs(const std::string& path, double scale);

}  // namespace synthetic
