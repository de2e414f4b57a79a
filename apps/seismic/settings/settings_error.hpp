// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace seismic {

/// What is wrong with a parameter file or another input: one line, `file:line: what` where the line
/// is known.
class SettingsError : public std::runtime_error {
 public:
  explicit SettingsError(const std::string& words) : std::runtime_error(words) {}
};

}  // namespace seismic
