// SPDX-License-Identifier: Apache-2.0
#include "topology/cpu_set.hpp"

#include <algorithm>

#include "roam/core/detail/text.hpp"

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
  for (std::string_view word : core::split(text, ',')) {
    if (word.starts_with("0x")) word.remove_prefix(2);
    const auto bits = core::read_number<std::uint32_t>(word, 16);
    if (!bits && !word.empty()) return std::nullopt;
    set.words_.push_back(bits.value_or(0));
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
