// SPDX-License-Identifier: Apache-2.0
#include "matrix.hpp"

#include <cstddef>
#include <fstream>
#include <string_view>

#include "roam/core/detail/text.hpp"
#include "roam/core/error.hpp"

namespace roam_map {

namespace {

constexpr double most_bytes = 1e18;
constexpr std::string_view blanks = " \t\r\v\f";

void skip_blanks(std::string_view& text) {
  const std::size_t end = text.find_first_not_of(blanks);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end);
}

class MatrixReader {
 public:
  explicit MatrixReader(const std::string& path) : path_(path), file_(path) {
    if (!file_) throw roam::ConfigError("cannot read " + path);
  }

  RankCommunication read() {
    for (std::string line; std::getline(file_, line);) {
      ++line_;
      std::string_view text = std::string_view(line).substr(0, line.find('#'));
      skip_blanks(text);
      if (!text.empty()) read_row(text);
    }
    if (file_.bad()) throw roam::ConfigError("cannot read " + path_);
    if (rows_ == 0) refuse("found no numbers, allowed is a row of them for each rank");
    if (rows_ < columns_) {
      refuse("the file ends after " + std::to_string(rows_) + " rows of " +
             std::to_string(columns_) + " numbers, allowed are as many rows as columns");
    }
    return {columns_, sum_.communications(), 0};
  }

 private:
  void read_row(std::string_view text) {
    std::uint32_t column = 0;
    while (true) {
      const double bytes = take_number(text);
      if (bytes > 0) sum_.add(rows_, column, bytes, 0);
      ++column;
      skip_blanks(text);
      if (text.empty()) break;
      if (text.front() == ',') text.remove_prefix(1);
      skip_blanks(text);
    }
    if (rows_ == 0) columns_ = column;
    if (column != columns_) {
      refuse("found " + std::to_string(column) + " numbers in a row, allowed are " +
             std::to_string(columns_) + " as in the first one");
    }
    if (++rows_ > columns_) {
      refuse("found row " + std::to_string(rows_) + ", allowed are as many rows as columns, " +
             std::to_string(columns_));
    }
  }

  double take_number(std::string_view& text) {
    const std::string_view word = text.substr(0, text.find_first_of(" \t\r\v\f,"));
    text.remove_prefix(word.size());
    const double number = roam::core::read_number<double>(word).value_or(-1);
    if (!(number >= 0 && number <= most_bytes)) {
      refuse("found \"" + std::string(word) + "\", allowed are numbers from 0 to 1e18");
    }
    return number;
  }

  [[noreturn]] void refuse(const std::string& words) const {
    throw roam::ConfigError(
        roam::core::one_line(path_ + ":" + std::to_string(line_) + ": " + words));
  }

  const std::string path_;
  std::ifstream file_;
  std::size_t line_ = 0;
  std::uint32_t rows_ = 0;
  std::uint32_t columns_ = 0;
  CommunicationSum sum_;
};

}  // namespace

RankCommunication communication_of_matrix(const std::string& path) {
  return MatrixReader(path).read();
}

}  // namespace roam_map
