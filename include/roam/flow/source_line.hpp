// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace roam::flow {

/// A line of the program: used as a default argument, the line of the caller. (Clang 14 has no
/// std::source_location.)
struct SourceLine {
  const char* file = "";   ///< as the compiler got it
  std::uint32_t line = 0;  ///< from 1; 0: not known
  /// The line of the caller: to be used as a default argument, itself without arguments.
  [[nodiscard]] static constexpr SourceLine current(const char* file = __builtin_FILE(),
                                                    std::uint32_t line = __builtin_LINE()) {
    return {file, line};
  }
};

/// The line as text, the file without its folders: "jacobi.cpp:12".
[[nodiscard]] std::string to_string(const SourceLine& where);

/// @cond
/// The description of a datum in errors and reports.
struct DatumLabel {
  const char* name = nullptr;  ///< as given by the program; nullptr: type and line are used alone
  const char* type = "";
  SourceLine where;
  std::int64_t element = -1;  ///< number of a collection's element; -1: none
};

/// True for elements of one number of collections that the same line of the program makes.
[[nodiscard]] inline bool are_alike(const DatumLabel& a, const DatumLabel& b) {
  return a.element == b.element && a.type == b.type && a.where.line == b.where.line;
}

/// The label as text: "rim[17] (Rim, jacobi.cpp:12)"
[[nodiscard]] std::string to_string(const DatumLabel& label);
/// The same with the index of a collection's element: "rim[3, 4] (Rim, jacobi.cpp:12)".
[[nodiscard]] std::string to_string(const DatumLabel& label, const std::string& index);
/// @endcond

}  // namespace roam::flow
