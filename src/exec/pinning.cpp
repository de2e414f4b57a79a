// SPDX-License-Identifier: Apache-2.0
#include "roam/exec/pinning.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "roam/core/error.hpp"
#include "roam/core/option_checks.hpp"

namespace roam {
namespace {

constexpr std::string_view listed = "cores:";
constexpr std::int32_t most_cores = 1'000'000;

[[noreturn]] void refuse() {
  throw ConfigError(
      "allowed is compact, scatter, none, or a list of cores like cores:0,2-5 (also true and false "
      "for compact and none)");
}

std::int32_t read_core(std::string_view text) {
  std::int32_t core = 0;
  if (!core::read_decimal(std::string(text), core) || core < 0 || core >= most_cores) refuse();
  return core;
}

/// "0,2-5"
std::vector<std::int32_t> read_cores(std::string_view text) {
  std::vector<std::int32_t> cores;
  while (true) {
    const std::string_view part = text.substr(0, text.find(','));
    const std::size_t dash = part.find('-');
    const std::int32_t first = read_core(part.substr(0, dash));
    const std::int32_t last =
        dash == std::string_view::npos ? first : read_core(part.substr(dash + 1));
    if (last < first) refuse();
    for (std::int32_t core = first; core <= last; ++core) cores.push_back(core);
    if (cores.size() > static_cast<std::size_t>(most_cores)) refuse();
    if (part.size() == text.size()) return cores;
    text.remove_prefix(part.size() + 1);
  }
}

}  // namespace

std::string to_string(const Pinning& pinning) {
  switch (pinning.policy) {
    case Pinning::Policy::none:
      return "none";
    case Pinning::Policy::compact:
      return "compact";
    case Pinning::Policy::scatter:
      return "scatter";
    case Pinning::Policy::cores:
      break;
  }
  std::string text(listed);
  for (std::size_t i = 0; i < pinning.cores.size();) {
    std::size_t end = i + 1;
    while (end < pinning.cores.size() && pinning.cores[end] == pinning.cores[end - 1] + 1) ++end;
    if (i > 0) text += ',';
    text += std::to_string(pinning.cores[i]);
    if (end > i + 1) text += '-' + std::to_string(pinning.cores[end - 1]);
    i = end;
  }
  return text;
}

Pinning parse_pinning(const std::string& given) {
  std::string text = given;
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  if (text == "compact") return {Pinning::Policy::compact, {}};
  if (text == "scatter") return {Pinning::Policy::scatter, {}};
  if (text == "none") return {};
  if (text.starts_with(listed))
    return {Pinning::Policy::cores, read_cores(std::string_view(text).substr(listed.size()))};
  if (!core::flag_value()(text).empty()) refuse();
  return {text == "true" ? Pinning::Policy::compact : Pinning::Policy::none, {}};
}

}  // namespace roam
