// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "roam/mobile/mobile_ptr.hpp"

namespace roam {

namespace mobile::detail {
/// The object whose method runs on this thread. Throws roam::Error if there is none.
[[nodiscard]] ObjectId current_object();
}  // namespace mobile::detail

/// The pointer to the object whose method calls this, to be given to others:
/// `neighbour.send<&Block::introduce>(roam::self<Block>());`. T is the object's class. Call it in a
/// method, in a function called by a method, or in a method that is a coroutine; throws roam::Error
/// elsewhere.
template <class T>
[[nodiscard]] mobile_ptr<T> self() {
  return mobile_ptr<T>(mobile::detail::current_object());
}

}  // namespace roam
