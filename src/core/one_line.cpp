// SPDX-License-Identifier: Apache-2.0
#include "roam/core/text.hpp"

namespace roam::core {

std::string one_line(std::string text) {
  constexpr std::size_t longest = 600;
  if (text.size() > longest) {
    text.resize(longest - 3);
    text += "...";
  }
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return text;
}

}  // namespace roam::core
