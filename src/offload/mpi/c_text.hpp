// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

namespace roam::offload {

/// Puts a text, or its beginning, into message[0..length), ended by a 0.
inline void put_text(const std::string& text, char* message, std::size_t length) {
  if (message == nullptr || length == 0) return;
  const std::size_t count = std::min(text.size(), length - 1);
  std::memcpy(message, text.data(), count);
  message[count] = '\0';
}

}  // namespace roam::offload
