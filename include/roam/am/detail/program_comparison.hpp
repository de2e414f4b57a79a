// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "roam/am/detail/handler_table.hpp"

namespace roam::am {

struct Hello;

/// Checks that all ranks run the same program, with equal settings where that is required (A6). Set
/// up before the first message; used inside progress after that.
class ProgramComparison {
 public:
  using Settings = std::vector<std::pair<std::string, std::string>>;
  /// Differences are reported by report(text).
  ProgramComparison(Messenger& messenger, std::function<void(const std::string&)> report);
  void require_equal(std::string setting, std::string value);
  /// Sends what describes this rank's program to the rank's parent in the tree of ranks.
  void announce();

 private:
  [[nodiscard]] std::uint64_t hash() const;
  void on_hello(const Hello& hello, Incoming&& rest);

  Messenger& messenger_;
  const std::function<void(const std::string&)> report_;
  Settings settings_;  // constant while the engine runs
};

}  // namespace roam::am
