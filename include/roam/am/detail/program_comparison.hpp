// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "roam/am/detail/handler_table.hpp"

namespace roam::am {

struct Hello;

/// Whether all ranks run the same program, with the same settings where they have to be equal (A6).
/// Set up before the first message; then inside progress.
class ProgramComparison {
 public:
  using Settings = std::vector<std::pair<std::string, std::string>>;
  /// Differences go to report(text).
  ProgramComparison(Messenger& messenger, std::function<void(const std::string&)> report);
  void require_equal(std::string setting, std::string value) {
    settings_.emplace_back(std::move(setting), std::move(value));
  }
  /// Sends this rank's to its parent in the tree of ranks.
  void announce();

 private:
  [[nodiscard]] std::uint64_t hash() const;
  void on_hello(const Hello& hello, Incoming&& rest);

  Messenger& messenger_;
  const std::function<void(const std::string&)> report_;
  Settings settings_;  // constant while the engine runs
};

}  // namespace roam::am
