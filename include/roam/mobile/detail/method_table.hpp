// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "roam/mobile/call.hpp"

namespace roam::mobile {

/// The object handlers of the program, by id: open addressing in a table at most half full.
/// Constant after construction.
class MethodTable {
 public:
  /// Takes in all there are. Throws roam::Error if the names of two hash alike.
  MethodTable();
  /// nullptr if there is no such method.
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
