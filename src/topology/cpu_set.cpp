// SPDX-License-Identifier: Apache-2.0
#include "topology/cpu_set.hpp"

#include <algorithm>
#include <charconv>

namespace roam::topology {

std::optional<CpuSet> CpuSet::parse(std::string_view text) {
  CpuSet set;
  constexpr std::string_view all_higher = "0xf...f";
  if (text.starts_with(all_higher)) {
    set.is_infinite_ = true;
    text.remove_prefix(all_higher.size());
    if (text.empty()) return set;
    if (text[0] != ',') return std::nullopt;
    text.remove_prefix(1);
  }
  while (true) {
    const std::size_t comma = text.find(',');
    std::string_view word = text.substr(0, comma);
    if (word.starts_with("0x")) word.remove_prefix(2);
    std::uint32_t bits = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), bits, 16);
    if (!word.empty() && (error != std::errc{} || end != word.data() + word.size()))
      return std::nullopt;
    set.words_.push_back(bits);
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  std::ranges::reverse(set.words_);
  return set;
}

bool CpuSet::is_empty() const {
  return !is_infinite_ && std::ranges::all_of(words_, [](std::uint32_t word) { return word == 0; });
}

bool CpuSet::contains(std::int32_t processor) const {
  const auto word = static_cast<std::size_t>(processor) / 32;
  if (word >= words_.size()) return is_infinite_;
  return ((words_[word] >> (processor % 32)) & 1U) != 0;
}

}  // namespace roam::topology
