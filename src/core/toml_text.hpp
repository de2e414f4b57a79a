// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace roam::core {

/// A place in a text, counted in characters from 1.
struct TextPlace {
  std::size_t line = 1;
  std::size_t column = 1;
};

/// The first control character or character beyond ASCII that stands neither in quotes nor in a
/// comment, where TOML 1.0 allows none; a byte order mark at the beginning is no such character.
/// toml++ 3.3 runs into undefined behaviour at many of them instead of refusing them.
[[nodiscard]] std::optional<TextPlace> find_stray_character(std::string_view text);

}  // namespace roam::core
