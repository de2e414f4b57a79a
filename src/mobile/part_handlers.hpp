// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace roam::mobile {

/// Handlers on the home rank of an element that receive how its part in an operation has ended.
void part_over_here(std::uint64_t token);
void part_missing_here(std::uint64_t token);
void part_failed_here(std::uint64_t token, const std::string& text);

}  // namespace roam::mobile
