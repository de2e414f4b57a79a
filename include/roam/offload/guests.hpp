// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>

#include "roam/am/messenger.hpp"
#include "roam/core/spin_lock.hpp"
#include "roam/offload/guest_task.hpp"
#include "roam/offload/messages.hpp"

namespace roam::offload {

/// Counts since the rank's start, of tasks of other ranks.
struct GuestCounts {
  std::uint64_t computed = 0;
  double computed_seconds = 0;
  std::uint64_t sent_back = 0;   ///< unbegun: recalled, or no room
  std::uint64_t most_bytes = 0;  ///< of tasks that waited here
};

/// The tasks of other ranks that one rank computes, before its own work and never passed on
/// (section 5 of the paper). Thread-safe.
class Guests {
 public:
  Guests(am::Messenger& messenger, std::uint64_t memory_bytes);
  Guests(const Guests&) = delete;
  Guests& operator=(const Guests&) = delete;

  [[nodiscard]] GuestCounts counts() const;
  [[nodiscard]] am::Messenger& messenger() const { return messenger_; }

  // --- tasks ---
  /// A worker has come to the task: true if it is still to be computed.
  [[nodiscard]] bool begin(GuestTask& task);
  void computed(Duration time);

 private:
  struct Key {
    std::int32_t home = -1;
    std::uint64_t token = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    [[nodiscard]] std::size_t operator()(const Key& key) const noexcept;
  };
  void on_shipped(const Shipped& head, am::Incoming&& rest);
  void refuse_unknown(const Shipped& head, Rank home);
  void on_recall(const Recall& message, Rank from);

  am::Messenger& messenger_;
  const std::uint64_t memory_bytes_;
  mutable core::SpinLock lock_;
  std::unordered_map<Key, GuestTask*, Hash> waiting_ ROAM_GUARDED_BY(lock_);  // not begun
  std::uint64_t waiting_bytes_ ROAM_GUARDED_BY(lock_) = 0;
  GuestCounts counts_ ROAM_GUARDED_BY(lock_);
};

}  // namespace roam::offload
