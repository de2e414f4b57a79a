// SPDX-License-Identifier: Apache-2.0
#include "transport/launcher.hpp"

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace roam::transport {

namespace {

std::optional<std::int32_t> number(std::string_view text) {
  std::int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1) return std::nullopt;
  return value;
}

}  // namespace

std::optional<Launcher> detect_launcher() {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    if (const char* value = std::getenv(variable)) return Launcher{variable, number(value)};
  }
  for (const char* variable : {"PMI_RANK", "PMIX_RANK"}) {
    if (std::getenv(variable) != nullptr) return Launcher{variable, std::nullopt};
  }
  return std::nullopt;
}

}  // namespace roam::transport
