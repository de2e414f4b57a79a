// SPDX-License-Identifier: Apache-2.0
#pragma once

// The messages between messengers themselves, apart from answers (reply.hpp).
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "roam/am/detail/system_message.hpp"

namespace roam::am {

/// Says how much in all the receiver may send to the sender of this message (A3).
struct Credit {
  static constexpr MessageKind kind{"roam.credit", Counted::no};
  std::uint64_t total_bytes = 0;  ///< since the start
  static constexpr auto fields(auto& m) { return std::tie(m.total_bytes); }
};

/// The comparison of programs (A6); HelloDetails follow. The only message whose layout must never
/// change, because ranks whose other layouts differ exchange it.
struct Hello {
  static constexpr MessageKind kind{"roam.hello", Counted::no, Behind::bytes, Reach::helpers};
  std::uint64_t hash = 0;  ///< a hash of all details
  static constexpr auto fields(auto& m) { return std::tie(m.hash); }
};

struct HelloDetails {
  using Settings = std::vector<std::pair<std::string, std::string>>;
  std::string build;
  Settings settings;
  std::vector<std::string> symbols;  ///< the symbols of handlers and system messages, sorted
  static constexpr auto fields(auto& m) { return std::tie(m.build, m.settings, m.symbols); }
};

}  // namespace roam::am
