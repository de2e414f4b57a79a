// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "messages.hpp"
#include "object_packing.hpp"
#include "roam/mobile/detail/residents.hpp"

namespace roam::mobile {

/// Takes in or refuses objects that come to this rank, and answers the ranks that sent them (M5,
/// M6).
class ArrivedObjects {
 public:
  ArrivedObjects(Residents& residents, ObjectPacking& packing);
  /// Sets a function that may refuse an object: it returns the reason, or an empty string. Before
  /// the first step.
  void set_admission(std::function<std::string(ObjectId, std::uint64_t bytes)> admission) {
    admission_ = std::move(admission);
  }
  /// Takes in an object, or refuses it. `size` is the length of its message or of its part of one;
  /// `bytes` are what follows the head. `is_malformed` becomes true if they do not decode. Throws
  /// MalformedMessage if there can be no such object here.
  [[nodiscard]] Arrival take_in(const Install& head, core::Unpacker& bytes, Rank source,
                                std::uint64_t size, bool& is_malformed) ROAM_EXCLUDES(inside_shard);
  void add_to(ObjectSpaceStats& stats) const {
    stats.migrations_in = count_.load(std::memory_order_relaxed);
  }

 private:
  void install(std::unique_ptr<Resident>&& arrived, std::uint32_t version, Rank source,
               std::uint64_t bytes) ROAM_EXCLUDES(inside_shard);
  void take_in_for_epochs(Resident& arrived) ROAM_REQUIRES(inside_shard);
  [[nodiscard]] std::vector<Rank> ranks_to_tell(const Resident& arrived, Rank source) const
      ROAM_REQUIRES(inside_shard);
  void on_install(const Install& head, am::Incoming&& rest) ROAM_EXCLUDES(inside_shard);

  Residents& residents_;
  ObjectPacking& packing_;
  std::function<std::string(ObjectId, std::uint64_t)> admission_;
  std::atomic<std::uint64_t> count_{0};
};

}  // namespace roam::mobile
