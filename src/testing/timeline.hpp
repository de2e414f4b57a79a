// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "roam/core/detail/clock.hpp"
#include "roam/mobile/detail/protocol_observer.hpp"

namespace roam::testing {

/// What happened in one run, in order, to be read by people.
class Timeline {
 public:
  explicit Timeline(const core::Clock* clock = nullptr) : clock_(clock) {}
  void set_clock(const core::Clock& clock) { clock_ = &clock; }
  void add(const mobile::ProtocolEvent& event);
  /// Not about one object: a disturbance, say.
  void add(const std::string& text, ObjectId object = {});
  /// The lines about `object` and about none in particular; of all objects if it is none. At most
  /// so many, the last ones.
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
