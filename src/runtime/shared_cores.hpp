// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace roam {

/// Finds workers of a job that are bound to the same core. Cores are named as in topology::Place.
/// Used by one thread at a time.
class SharedCores {
 public:
  /// For a job of so many ranks.
  explicit SharedCores(std::size_t ranks) : missing_(ranks) {}

  /// A rank's host, and the core of each of its workers. Once for each rank.
  void take(std::uint64_t host, const std::vector<std::int32_t>& cores);
  /// Once all ranks are known and some share a core: one line that says on how many hosts, and how
  /// many workers and cores the first of these has.
  [[nodiscard]] std::optional<std::string> report() const;

 private:
  std::size_t missing_;
  std::map<std::uint64_t, std::map<std::int32_t, std::size_t>> workers_;  // by host and core
};

}  // namespace roam
