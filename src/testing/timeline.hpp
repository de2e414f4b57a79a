// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "roam/core/detail/clock.hpp"
#include "roam/mobile/detail/protocol_observer.hpp"

namespace roam::testing {

/// The events of one run, in order, as text.
class Timeline {
 public:
  explicit Timeline(const core::Clock* clock = nullptr) : clock_(clock) {}
  void set_clock(const core::Clock& clock) { clock_ = &clock; }
  void add(const mobile::ProtocolEvent& event);
  /// Adds a line; without an object it belongs to none: a disturbance, for example.
  void add(const std::string& text, ObjectId object = {});
  /// The lines about `object` and those that belong to none; if `object` is empty, all lines. At
  /// most the last `most`.
  [[nodiscard]] std::vector<std::string> lines(ObjectId object, std::size_t most) const;

 private:
  struct Entry {
    Instant when;
    ObjectId object;
    std::string text;
  };
  const core::Clock* clock_;
  std::vector<Entry> entries_;
};

}  // namespace roam::testing
