// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>
#include <utility>

#include "roam/core/types.hpp"

namespace roam::exec {

/// How an idle worker waits: it polls without a pause for a while, or while a transfer may be under
/// way, then with yields, then asks for sleeps that grow with the time waited so far, up to a bound
/// (PREMA 4.1.1). Whatever it waits for is thus noticed late by a small part of the wait. Not
/// thread-safe.
class Backoff {
 public:
  struct Options {
    Duration spin{0};     ///< how long it polls without a pause; then thrice as long with yields
    Duration longest{0};  ///< longest sleep
    /// The bytes that have been sent and have not left yet. While they may be under way it polls.
    /// Empty: not known.
    std::function<std::size_t()> unsent_bytes = {};
  };

  explicit Backoff(Options options) : options_(std::move(options)) {}

  /// Something was found.
  void reset() { since_ = never, idle_since_ = never; }
  /// True while the worker should look again at once. Yields the processor after a while.
  bool keep_spinning(Instant now) {
    if (since_ == never) since_ = idle_since_ = now;
    if (now - since_ <= options_.spin) return true;
    if (is_transferring(now)) {
      since_ = now;
      return true;
    }
    if (now - since_ > 4 * options_.spin) return false;
    std::this_thread::yield();
    return true;
  }
  /// After keep_spinning() has said no.
  [[nodiscard]] Duration next_sleep(Instant now) const {
    const Duration part = (now - idle_since_) / parts_of_wait;
    return std::min(std::max(part, shortest_sleep), options_.longest);
  }

 private:
  static constexpr Duration shortest_sleep = std::chrono::microseconds(20);
  // Chosen: a wait of 1 ms costs some twenty looks at the network.
  static constexpr std::int64_t parts_of_wait = 8;
  // Transfers that take longer than these wait for a busy peer, not for the network.
  static constexpr Duration longest_per_byte = std::chrono::nanoseconds(4);
  static constexpr Duration longest_transfer = std::chrono::milliseconds(10);

  [[nodiscard]] bool is_transferring(Instant now) const {
    if (!options_.unsent_bytes) return false;
    const auto bytes = static_cast<std::int64_t>(options_.unsent_bytes());
    return now - idle_since_ < std::min(bytes * longest_per_byte, longest_transfer);
  }

  Options options_;
  Instant since_ = never;       // when the last transfer was seen, or idle_since_
  Instant idle_since_ = never;  // nothing has been found since then
};

}  // namespace roam::exec
