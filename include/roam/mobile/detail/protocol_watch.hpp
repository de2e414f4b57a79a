// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "roam/core/detail/thread_annotations.hpp"
#include "roam/mobile/detail/directory.hpp"
#include "roam/mobile/detail/method_table.hpp"
#include "roam/mobile/detail/protocol_observer.hpp"

namespace roam::mobile {

class Resident;

/// Tells a rank's observer, if it has one, of every step. Called inside the step, so that the
/// observer sees the steps in their order.
class ProtocolWatch {
 public:
  using Step = ProtocolEvent::Kind;
  ProtocolWatch(Rank rank, const MethodTable& methods) : methods_(methods), rank_(rank) {}
  /// Sets the observer, before the first step; it must outlive the rank. nullptr: none.
  void set_observer(ProtocolObserver* observer) { observer_ = observer; }
  [[nodiscard]] ProtocolObserver* observer() const { return observer_; }
  [[nodiscard]] bool is_on() const { return observer_ != nullptr; }

  [[gnu::always_inline]] void saw(Step step, const CallHeader& call, Rank other = no_rank,
                                  std::uint32_t version = 0,
                                  const exec::Execution* execution = nullptr) const {
    if (observer_ != nullptr) [[unlikely]]
      report(step, call, other, version, execution);
  }
  [[gnu::always_inline]] void saw(Step step, Resident& resident, Rank other = no_rank) const
      ROAM_REQUIRES(inside_shard) {
    if (observer_ != nullptr) [[unlikely]]
      report(step, resident, other);
  }
  [[gnu::always_inline]] void saw(Step step, ObjectId object, Rank other, std::uint32_t version,
                                  std::uint32_t former_version = 0) const {
    if (observer_ != nullptr) [[unlikely]]
      report(step, object, other, version, former_version);
  }

 private:
  void report(Step step, const CallHeader& call, Rank other, std::uint32_t version,
              const exec::Execution* execution) const;
  void report(Step step, Resident& resident, Rank other) const ROAM_REQUIRES(inside_shard);
  void report(Step step, ObjectId object, Rank other, std::uint32_t version,
              std::uint32_t former_version) const;

  const MethodTable& methods_;
  const Rank rank_;
  ProtocolObserver* observer_ = nullptr;
};

}  // namespace roam::mobile
