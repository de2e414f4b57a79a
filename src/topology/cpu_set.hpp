// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace roam::topology {

/// A set of processors as hwloc writes it: words of 32 bits in hexadecimal digits, the highest
/// first, separated by commas; an empty word means 0, and "0xf...f" in front stands for all higher
/// ones.
class CpuSet {
 public:
  /// Reads a set; nullopt if the text is none.
  [[nodiscard]] static std::optional<CpuSet> parse(std::string_view text);
  [[nodiscard]] bool is_empty() const;
  [[nodiscard]] bool contains(std::int32_t processor) const;

 private:
  std::vector<std::uint32_t> words_;  // the lowest first
  bool is_infinite_ = false;
};

}  // namespace roam::topology
