// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "roam/runtime/options.hpp"

namespace roam {

/// An option that must have the same value on all ranks (A6).
struct OptionToCompare {
  std::string flag;
  std::string value;
};
[[nodiscard]] std::vector<OptionToCompare> options_to_compare(const Options& options);

}  // namespace roam
