// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

namespace bench {

/// Takes `name`, and the value behind it if it has one, out of the arguments, before
/// read_settings() sees them. The value or the name; nullptr if it is not there.
inline const char* take_argument(int& argc, char** argv, const char* name, bool has_value) {
  const int taken = has_value ? 2 : 1;
  for (int i = 1; i + taken <= argc; ++i) {
    if (std::strcmp(argv[i], name) != 0) continue;
    const char* const value = argv[i + taken - 1];
    for (int next = i + taken; next <= argc; ++next) argv[next - taken] = argv[next];
    argc -= taken;
    return value;
  }
  return nullptr;
}

}  // namespace bench
