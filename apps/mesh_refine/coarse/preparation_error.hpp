// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace mesh_refine {

/// Something that preparation needs besides the input is missing or failed: a program, a library,
/// space for temporary files. The message is one line that says what to do. Programs print it and
/// exit with status 2.
class PreparationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace mesh_refine
