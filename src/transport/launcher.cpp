// SPDX-License-Identifier: Apache-2.0
#include "roam/transport/detail/launcher.hpp"

#include <charconv>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace roam::transport {

namespace {

std::optional<std::int32_t> number(std::string_view text, std::int32_t least) {
  std::int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least)
    return std::nullopt;
  return value;
}

std::optional<std::int32_t> rank_in(const char* variable) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? std::nullopt : number(value, 0);
}

}  // namespace

std::optional<Launcher> detect_launcher() {
  const std::pair<const char*, const char*> sized[] = {
      {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"}, {"PMI_SIZE", "PMI_RANK"}};
  for (const auto& [size, rank] : sized) {
    if (const char* value = std::getenv(size))
      return Launcher{size, number(value, 1), rank_in(rank)};
  }
  for (const char* rank : {"PMI_RANK", "PMIX_RANK"}) {
    if (std::getenv(rank) != nullptr) return Launcher{rank, std::nullopt, rank_in(rank)};
  }
  return std::nullopt;
}

}  // namespace roam::transport
