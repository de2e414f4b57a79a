// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "roam/core/object_id.hpp"
#include "roam/mobile/detail/record.hpp"
#include "roam/mobile/object_type.hpp"

namespace roam::mobile {

/// A settled object of this rank as it is visited, under the lock of its directory shard. Valid
/// during the visit alone, which must be quick and must not call Roam.
struct ResidentView {
  ObjectId id;             ///< the object's id
  const Record& record;    ///< its loads and moves so far; for Roam itself
  const ObjectType& type;  ///< its class; for Roam itself
  const void* object;      ///< see as()
  bool is_bound;           ///< a handler runs on it: it cannot move now, and must not be read

  /// The object, if it is of this class and may be read; else nullptr.
  template <class T>
  [[nodiscard]] const T* as() const {
    // Compared by id, because a shared library has a descriptor of its own.
    if (is_bound || type.id() != object_type<T>().id()) return nullptr;
    return static_cast<const T*>(object);
  }
};

}  // namespace roam::mobile
