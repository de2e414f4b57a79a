// SPDX-License-Identifier: Apache-2.0
#pragma once

// The messages between messengers themselves, beside answers (reply.hpp).
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "roam/am/detail/system_message.hpp"

namespace roam::am {

/// A rank may send so much in all to the one that says so (A3).
struct Credit {
  static constexpr MessageKind kind{"roam.credit", Counted::no};
  std::uint64_t total_bytes = 0;  ///< since the start
  static constexpr auto fields(auto& m) { return std::tie(m.total_bytes); }
};

/// The comparison of programs (A6); HelloDetails follow. The one message whose layout stays as it
/// is, since it is what ranks with different ones exchange.
struct Hello {
  static constexpr MessageKind kind{"roam.hello", Counted::no, Behind::bytes};
  std::uint64_t hash = 0;  ///< of all that is below
  static constexpr auto fields(auto& m) { return std::tie(m.hash); }
};

struct HelloDetails {
  using Settings = std::vector<std::pair<std::string, std::string>>;
  std::string build;
  Settings settings;
  std::vector<std::string> symbols;  ///< of handlers and system messages, sorted
  static constexpr auto fields(auto& m) { return std::tie(m.build, m.settings, m.symbols); }
};

}  // namespace roam::am
