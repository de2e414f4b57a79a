// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <istream>
#include <stdexcept>
#include <string>
#include <vector>

namespace seismic {

/// What is wrong with a text that is read line by line.
class LineError : public std::invalid_argument {
 public:
  /// `line`: from 1 on; 0 if no line is to blame.
  LineError(int line, const std::string& words) : std::invalid_argument(words), line_(line) {}
  [[nodiscard]] int line() const { return line_; }

 private:
  int line_;
};

/// Reads the lines of a text that are neither blank nor comments, which begin with `#`.
class LineReader {
 public:
  explicit LineReader(std::istream& in) : in_(in) {}

  /// Goes to the next such line; false at the end.
  bool next();
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] int line() const { return number_; }
  /// The numbers of this line. Throws LineError if it has anything else, or numbers that are not
  /// finite.
  [[nodiscard]] std::vector<double> numbers() const;
  /// Exactly `count` numbers, which an error calls `words`.
  [[nodiscard]] std::vector<double> numbers(std::size_t count, const char* words) const;
  /// Throws LineError at this line.
  [[noreturn]] void fail(const std::string& words) const { throw LineError(number_, words); }

 private:
  std::istream& in_;
  std::string text_;
  int number_ = 0;
};

}  // namespace seismic
