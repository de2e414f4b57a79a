// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "arrived_calls.hpp"
#include "roam/mobile/detail/residents.hpp"

namespace roam::mobile {

/// Packs and unpacks an object: its state, what it expects of its callers, its record and its calls
/// (M5). No other thread uses it meanwhile: it is in transit, or has just been made.
class ObjectPacking {
 public:
  ObjectPacking(ObjectSpace& space, Residents& residents, ArrivedCalls& arrived)
      : space_(space), residents_(residents), arrived_(arrived) {}
  /// Packs an object in transit. The outlet, if any, is for an array of the object, which its rank
  /// must not free until it has arrived. Throws what the class throws.
  void pack(core::Packer& packer, core::ArrayOutlet* outlet, Resident& resident) const;
  /// Packs all but its state, which is handed over by pointer.
  void pack_without_state(core::Packer& packer, Resident& resident) const;
  /// Unpacks an object. Throws MalformedMessage, or what the class throws.
  [[nodiscard]] std::unique_ptr<Resident> unpack(core::Unpacker& bytes, ObjectId id,
                                                 std::uint32_t version) const;

 private:
  static void pack_call(core::Packer& packer, const Call& call);
  [[nodiscard]] Call* unpack_call(core::Unpacker& bytes, const Resident& object) const;
  void unpack_calls(core::Unpacker& bytes, Resident& resident) const ROAM_REQUIRES(inside_shard);

  ObjectSpace& space_;
  Residents& residents_;
  ArrivedCalls& arrived_;
};

}  // namespace roam::mobile
