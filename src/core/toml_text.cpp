// SPDX-License-Identifier: Apache-2.0
#include "toml_text.hpp"

#include <algorithm>

namespace roam::core {

namespace {

bool is_ascii(char c) { return (static_cast<unsigned char>(c) & 0x80U) == 0; }
/// True for control characters other than tab, line feed and carriage return.
bool is_control(char c) {
  return (c >= 0 && c < ' ' && c != '\t' && c != '\n' && c != '\r') || c == '\x7f';
}
bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

std::size_t end_of_line(std::string_view text, std::size_t from) {
  return std::min(text.find('\n', from), text.size());
}

/// The place behind the string whose opening quote stands at `from`. A string that is not closed
/// ends with its line, a multi-line one with the text.
std::size_t end_of_string(std::string_view text, std::size_t from) {
  const char quote = text[from];
  const std::string_view triple = quote == '"' ? "\"\"\"" : "'''";
  const bool is_long = text.substr(from).starts_with(triple);
  std::size_t at = from + (is_long ? 3 : 1);
  while (at < text.size()) {
    if (text[at] == '\\' && quote == '"') {
      at += 2;
    } else if (is_long && text.substr(at).starts_with(triple)) {
      return at + 3;
    } else if (!is_long && text[at] == quote) {
      return at + 1;
    } else if (!is_long && text[at] == '\n') {
      return at;
    } else {
      ++at;
    }
  }
  return text.size();
}

TextPlace place_of(std::string_view before) {
  TextPlace place;
  for (const char c : before) {
    if (c == '\n') {
      ++place.line;
      place.column = 1;
    } else if (!is_continuation(c)) {
      ++place.column;
    }
  }
  return place;
}

}  // namespace

std::optional<TextPlace> find_stray_character(std::string_view text) {
  std::size_t at = text.starts_with("\xef\xbb\xbf") ? 3 : 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '#') {
      at = end_of_line(text, at);
    } else if (c == '"' || c == '\'') {
      at = end_of_string(text, at);
    } else if (!is_ascii(c) || is_control(c)) {
      return place_of(text.substr(0, at));
    } else {
      ++at;
    }
  }
  return std::nullopt;
}

}  // namespace roam::core
