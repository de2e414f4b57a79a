// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

namespace roam::core {

/// The contents of a whole file. Blocks while it reads. Throws ConfigError "cannot read FILE:
/// reason", also for folders and files over 64 MiB.
[[nodiscard]] std::string read_text_file(const std::string& path);

/// Text made fit for one line of a message that repeats what a user gave: line ends and other
/// control characters become '?', and a text of more than 600 bytes is cut off.
[[nodiscard]] std::string one_line(std::string text);

/// The text with the letters A to Z made small, whatever the locale.
[[nodiscard]] std::string lower_case(std::string_view text);

/// The pieces between separators: one piece more than there are separators. They are views into
/// `text`.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

/// The number that the text as a whole represents; nullopt if it is none or does not fit. `base` is
/// for whole numbers.
template <class Number>
[[nodiscard]] std::optional<Number> read_number(std::string_view text, int base = 10) {
  Number number = 0;
  const char* const end = text.data() + text.size();
  std::from_chars_result result{};
  if constexpr (std::is_floating_point_v<Number>) {
    result = std::from_chars(text.data(), end, number);
  } else {
    result = std::from_chars(text.data(), end, number, base);
  }
  if (result.ec != std::errc{} || result.ptr != end) return std::nullopt;
  return number;
}

}  // namespace roam::core
