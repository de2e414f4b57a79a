// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "settings.hpp"

namespace synthetic {

/// The objects of a file of lines seconds,weight,bytes below a line that says so; their seconds
/// times `scale`. Throws std::runtime_error (file, line, what is wrong) for anything else.
[[nodiscard]] std::vector<Cost> read_costs(const std::string& path, double scale);

}  // namespace synthetic
