// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace roam::mobile {

class Call;

/// A singly linked queue of calls. Its members are defined in call.hpp.
struct CallQueue {
  Call* first = nullptr;
  Call* last = nullptr;
  [[nodiscard]] bool empty() const { return first == nullptr; }
  inline void push(Call* call);
  inline void push_front(Call* call);
  inline Call* pop();
  inline void append(CallQueue&& other);
};

}  // namespace roam::mobile
