// SPDX-License-Identifier: Apache-2.0
#include "support/words.hpp"

#include <cstddef>

namespace roam_tools {

std::string plural(const std::string& level) {
  const std::size_t space = level.find(' ');
  const std::string word = level.substr(0, space);
  const std::string rest = space == std::string::npos ? "" : level.substr(space);
  if (word == "NUMA") return "NUMA nodes" + rest;
  if (word.size() == 2 && word[0] == 'L') return word + " caches" + rest;
  return word + (word.ends_with("h") ? "es" : "s") + rest;
}

}  // namespace roam_tools
