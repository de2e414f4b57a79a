// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace roam::flow {

/// A line of the program: as default argument, the one that calls. (std::source_location is not to
/// be had with Clang 14.)
struct SourceLine {
  const char* file = "";   ///< as the compiler was given it
  std::uint32_t line = 0;  ///< from 1; 0: not known
  /// The line that calls: to be used as a default argument, without arguments of its own.
  [[nodiscard]] static constexpr SourceLine current(const char* file = __builtin_FILE(),
                                                    std::uint32_t line = __builtin_LINE()) {
    return {file, line};
  }
};

/// The line as text, the file without its folders: "jacobi.cpp:12".
[[nodiscard]] std::string to_string(const SourceLine& where);

/// @cond
/// What errors and reports call a datum.
struct DatumLabel {
  const char* name = nullptr;  ///< as the program says; nullptr: by type and line alone
  const char* type = "";
  SourceLine where;
  std::int64_t element = -1;  ///< of a collection, by its number; -1: none
};

/// "rim[17] (Rim, jacobi.cpp:12)"
[[nodiscard]] std::string to_string(const DatumLabel& label);
/// @endcond

}  // namespace roam::flow
