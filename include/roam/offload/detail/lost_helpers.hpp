// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "roam/am/detail/messenger.hpp"
#include "roam/core/types.hpp"

namespace roam::offload {

struct HelperLost;

/// Which helpers have been lost, and how many tasks are computed again for that reason: on each
/// rank its own, on rank 0 those of all. Thread-safe.
class LostHelpers {
 public:
  explicit LostHelpers(am::Messenger& messenger);
  LostHelpers(const LostHelpers&) = delete;
  LostHelpers& operator=(const LostHelpers&) = delete;

  /// This rank has noticed the loss. The first reason is stored.
  void note(Rank helper, const std::string& reason);
  /// This rank has put back so many tasks because of it. Tells rank 0.
  void add_tasks(Rank helper, std::uint32_t tasks);
  /// One sentence for each lost helper.
  [[nodiscard]] std::vector<std::string> sentences() const;
  /// The number of helpers that this rank knows to be lost.
  [[nodiscard]] std::uint32_t count() const;

 private:
  struct Loss {
    std::string reason;
    std::uint64_t tasks = 0;
  };
  void on_helper_lost(const HelperLost& message);
  void add(std::int32_t helper, std::uint64_t tasks);

  am::Messenger& messenger_;
  mutable std::mutex mutex_;
  std::map<std::int32_t, Loss> losses_;  // under mutex_; by rank
};

}  // namespace roam::offload
