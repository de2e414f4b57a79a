// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>

#include "geometry/geometry.hpp"

namespace mesh_refine {

/// Whole content of a file. Throws InputError when it is missing, not a regular file, unreadable or
/// empty.
[[nodiscard]] std::string read_file(const std::filesystem::path& file);

/// Reads words and numbers from text and tracks the line number, so that all readers report errors
/// alike. Not thread-safe; the text must outlive the scanner.
class TextScanner {
 public:
  /// `comment` starts a comment that ends with the line; '\0' for formats without comments. Lines
  /// end with LF, CR LF or CR. A byte order mark (of UTF-8) at the start is skipped.
  TextScanner(std::filesystem::path file, std::string_view text, char comment);

  /// Next word, or an empty view at the end of the text.
  [[nodiscard]] std::string_view next_word();

  /// Next word without consuming it.
  [[nodiscard]] std::string_view peek_word();

  /// What is left of the current line, without its end; moves to the next line.
  std::string_view rest_of_line();

  /// Next finite number within the magnitude that the exact predicates are safe for (1e30).
  /// Throws InputError naming `what`.
  [[nodiscard]] double real(std::string_view what);

  /// Next integer within [least, most]; throws InputError naming `what`.
  [[nodiscard]] long long integer(std::string_view what, long long least, long long most);

  /// Next element count, at least `least`, bounded by what the rest of the text can hold.
  [[nodiscard]] std::size_t count(std::string_view what, long long least);

  /// Next three numbers.
  [[nodiscard]] Point3 point();

  /// Throws InputError at the line of the last word.
  [[noreturn]] void fail(const std::string& found, const std::string& allowed) const;

  /// Unread part of the text, for binary sections.
  [[nodiscard]] std::string_view unread() const { return text_.substr(position_); }

 private:
  void skip_space();
  void skip_line_end();
  [[nodiscard]] std::string_view number_word(std::string_view what);

  std::filesystem::path file_;
  std::string_view text_;
  std::size_t position_ = 0;
  std::size_t line_ = 1;
  std::size_t word_line_ = 1;
  char comment_;
};

/// The word with its letters A to Z in lower case.
[[nodiscard]] std::string lower_case(std::string_view word);

/// A word as it is shown in an error message: quoted, shortened, "end of file" when empty.
[[nodiscard]] std::string shown(std::string_view word);

/// Throws InputError unless the coordinate is finite and of at most 1e30 in magnitude.
void check_coordinate(const TextScanner& scanner, double value, std::string_view what);

}  // namespace mesh_refine
