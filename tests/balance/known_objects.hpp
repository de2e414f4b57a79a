// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <optional>
#include <unordered_map>

#include "roam/balance/detail/load_table.hpp"

namespace roam::balance {

/// The objects of a rank as a test defines them. Thread-safe.
class KnownObjects final : public LoadTable::Source {
 public:
  /// Adds or changes an object with these facts.
  void set(ObjectId id, const mobile::Record& record) {
    const std::lock_guard guard(mutex_);
    facts_[id].record = record;
  }
  /// Reports that a handler begins to run on it.
  void start(ObjectId id, double cost_seconds, double weight, Instant now) {
    const std::lock_guard guard(mutex_);
    facts_.at(id).activity.begin(static_cast<float>(cost_seconds), static_cast<float>(weight), now);
  }
  /// Reports that a handler has ended; `record` describes what is left.
  void end(ObjectId id, const mobile::Record& record) {
    const std::lock_guard guard(mutex_);
    facts_.at(id) = {record, {}};
  }
  void leave(ObjectId id) {
    const std::lock_guard guard(mutex_);
    facts_.erase(id);
  }
  [[nodiscard]] std::optional<mobile::LoadFacts> take(ObjectId id) override {
    const std::lock_guard guard(mutex_);
    const auto found = facts_.find(id);
    if (found == facts_.end()) return std::nullopt;
    return found->second;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<ObjectId, mobile::LoadFacts> facts_;
};

}  // namespace roam::balance
