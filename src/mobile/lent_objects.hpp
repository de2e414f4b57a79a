// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "roam/am/detail/messenger.hpp"
#include "roam/core/detail/buffer.hpp"
#include "roam/core/detail/spin_lock.hpp"

namespace roam::mobile {

class Resident;

/// Moving objects of which the network still reads an array. The network may be the last to let go:
/// after the target's answer, and, where a job ends before its messages have arrived, after the
/// ObjectSpace.
class LentObjects : public std::enable_shared_from_this<LentObjects> {
 public:
  explicit LentObjects(am::Messenger& messenger) : messenger_(&messenger) {}
  LentObjects(const LentObjects&) = delete;
  LentObjects& operator=(const LentObjects&) = delete;
  /// A buffer to send `elements` by, which are memory of the object; it stays until the buffer has
  /// gone.
  [[nodiscard]] core::Buffer lend(Resident& resident, std::span<const std::byte> elements);
  /// The ObjectSpace ends. Objects still lent end with their buffers.
  void close();

 private:
  class Lent;

  core::SpinLock lock_;
  am::Messenger* messenger_ ROAM_GUARDED_BY(lock_);  // nullptr: the ObjectSpace has ended
  Lent* first_ ROAM_GUARDED_BY(lock_) = nullptr;
};

}  // namespace roam::mobile
