// SPDX-License-Identifier: Apache-2.0
#include "read/text_scanner.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <system_error>

#include "read/input_error.hpp"

namespace mesh_refine {
namespace {

constexpr double largest_coordinate = 1e30;

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

bool ends_line(char c) { return c == '\n' || c == '\r'; }

/// Whether a number that does not fit into a double is too small for one, not too large.
bool is_tiny(std::string_view word) {
  long double value = 0.0L;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc{}) return std::abs(value) < 1.0L;
  return word.find("e-") != std::string_view::npos || word.find("E-") != std::string_view::npos;
}

}  // namespace

std::string read_file(const std::filesystem::path& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status)) {
    throw InputError(file, 0, "no such file", "the path of a mesh file");
  }
  if (!std::filesystem::is_regular_file(status)) {
    throw InputError(file, 0, "something that is not a regular file", "a mesh file");
  }
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream.is_open() || stream.bad()) {
    throw InputError(file, 0, "a file that cannot be read", "a readable file");
  }
  if (text.empty()) throw InputError(file, 0, "an empty file", "a mesh");
  return text;
}

std::string lower_case(std::string_view word) {
  std::string text(word);
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

std::string shown(std::string_view word) {
  if (word.empty()) return "the end of the file";
  constexpr std::size_t longest = 40;
  std::string text = "'";
  for (const char c : word.substr(0, longest)) {
    text += static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e ? '?' : c;
  }
  return text + (word.size() > longest ? "...'" : "'");
}

TextScanner::TextScanner(std::filesystem::path file, std::string_view text, char comment)
    : file_(std::move(file)), text_(text), comment_(comment) {
  if (text_.starts_with("\xEF\xBB\xBF")) position_ = 3;
}

void TextScanner::skip_line_end() {
  if (position_ < text_.size() && text_[position_] == '\r') ++position_;
  if (position_ < text_.size() && text_[position_] == '\n') ++position_;
  ++line_;
}

void TextScanner::skip_space() {
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (ends_line(c)) {
      skip_line_end();
    } else if (comment_ != '\0' && c == comment_) {
      position_ = std::min(text_.find_first_of("\r\n", position_), text_.size());
    } else if (is_space(c)) {
      ++position_;
    } else {
      return;
    }
  }
}

std::string_view TextScanner::next_word() {
  skip_space();
  word_line_ = line_;
  const std::size_t begin = position_;
  while (position_ < text_.size() && !is_space(text_[position_]) &&
         (comment_ == '\0' || text_[position_] != comment_)) {
    ++position_;
  }
  return text_.substr(begin, position_ - begin);
}

std::string_view TextScanner::peek_word() {
  skip_space();
  const std::size_t begin = position_;
  const std::string_view word = next_word();
  position_ = begin;
  return word;
}

std::string_view TextScanner::rest_of_line() {
  word_line_ = line_;
  const std::size_t end = std::min(text_.find_first_of("\r\n", position_), text_.size());
  const std::string_view line = text_.substr(position_, end - position_);
  position_ = end;
  if (position_ < text_.size()) skip_line_end();
  return line;
}

void TextScanner::fail(const std::string& found, const std::string& allowed) const {
  throw InputError(file_, word_line_, found, allowed);
}

std::string_view TextScanner::number_word(std::string_view what) {
  std::string_view word = next_word();
  if (word.empty()) fail("the end of the file", std::string(what) + " (is the file truncated?)");
  if (word.size() > 1 && word.front() == '+') word.remove_prefix(1);
  return word;
}

double TextScanner::real(std::string_view what) {
  const std::string_view word = number_word(what);
  double value = 0.0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  // An underflow is reported as out of range too; it means zero.
  const bool tiny = error == std::errc::result_out_of_range && is_tiny(word);
  if ((error != std::errc{} && !tiny) || end != word.data() + word.size()) {
    fail(shown(word), std::string(what) + ", a finite number");
  }
  check_coordinate(*this, value, what);
  return value;
}

long long TextScanner::integer(std::string_view what, long long least, long long most) {
  const std::string_view word = number_word(what);
  long long value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size() || value < least || value > most) {
    fail(shown(word), std::string(what) + ", an integer from " + std::to_string(least) + " to " +
                          std::to_string(most));
  }
  return value;
}

std::size_t TextScanner::count(std::string_view what, long long least) {
  // Every element takes at least one character, so a larger count is an error and must not be
  // allowed to reserve memory.
  const auto most = static_cast<long long>(text_.size());
  return static_cast<std::size_t>(integer(what, least, most));
}

Point3 TextScanner::point() {
  const double x = real("a coordinate");
  const double y = real("a coordinate");
  const double z = real("a coordinate");
  return {x, y, z};
}

void check_coordinate(const TextScanner& scanner, double value, std::string_view what) {
  if (std::isfinite(value) && std::abs(value) <= largest_coordinate) return;
  scanner.fail(std::isfinite(value) ? "a magnitude above 1e30" : "a value that is not finite",
               std::string(what) + ", a finite number of at most 1e30 in magnitude");
}

}  // namespace mesh_refine
