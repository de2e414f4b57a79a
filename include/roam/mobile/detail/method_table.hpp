// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "roam/mobile/call.hpp"

namespace roam::mobile {

/// The object handlers of the program, by id: open addressing in a table that is at most half full.
/// Constant after construction.
class MethodTable {
 public:
  /// Enters all object handlers. Throws roam::Error if the names of two have the same hash.
  MethodTable();
  /// The method of this id; nullptr if there is none.
  [[nodiscard]] const Method* find(std::uint32_t id) const {
    for (std::size_t i = id & mask_;; i = (i + 1) & mask_) {
      const Method* method = slots_[i];
      if (method == nullptr || method->id() == id) return method;
    }
  }
  void add_to(exec::WorkingSet& set) const;

 private:
  std::size_t mask_ = 0;
  std::vector<const Method*> slots_;
};

}  // namespace roam::mobile
