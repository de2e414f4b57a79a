// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "roam/core/detail/spin_lock.hpp"

namespace roam::offload {

/// How many bytes groups of dependent tasks have inside and outside, by kind, as measured on one
/// rank; and the decision whether a group travels as one task. Thread-safe.
class GroupSizes {
 public:
  struct Counts {
    std::uint64_t together = 0;  ///< groups that were spawned as one task
    std::uint64_t apart = 0;     ///< groups whose tasks were spawned one by one
  };

  /// Decides about a group of this kind that needs `argument_bytes` from outside.
  [[nodiscard]] bool travels_together(std::uint32_t kind, std::size_t argument_bytes);
  /// Counts a group for which the program has decided.
  void count(bool is_together);
  /// True if a group that is being computed as one task should be measured.
  [[nodiscard]] bool is_due(std::uint32_t kind);
  /// Adds a measurement: results that tasks of the group have for each other, and that of the
  /// group.
  void add(std::uint32_t kind, std::size_t inner_bytes, std::size_t result_bytes);
  [[nodiscard]] Counts counts() const;

 private:
  struct Kind {
    double inner_bytes = 0;
    double result_bytes = 0;
    std::uint64_t computed = 0;
    std::uint64_t measured = 0;
    std::uint64_t spawned = 0;
  };
  mutable core::SpinLock lock_;
  std::unordered_map<std::uint32_t, Kind> kinds_ ROAM_GUARDED_BY(lock_);
  Counts counts_ ROAM_GUARDED_BY(lock_);
};

}  // namespace roam::offload
