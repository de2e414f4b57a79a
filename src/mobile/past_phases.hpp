// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

namespace roam::mobile {

/// The numbers of phases that are over, as ranges, because one type of reduction may have many
/// phases.
class PastPhases {
 public:
  using Key = std::pair<std::uint64_t, std::uint32_t>;  ///< number, type of reduction
  void add(const Key& key);
  [[nodiscard]] bool contains(const Key& key) const;
  /// If there are more ranges, the lowest are forgotten.
  static constexpr std::size_t most_ranges = 256;

 private:
  // The last number of each range, by type and first number.
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> last_of_;
};

}  // namespace roam::mobile
