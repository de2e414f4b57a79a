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

/// Moving objects of which the network still reads an array. The network may release it last: after
/// the target's answer and, if a job ends before its messages have arrived, after the end of the
/// ObjectSpace.
class LentObjects : public std::enable_shared_from_this<LentObjects> {
 public:
  explicit LentObjects(am::Messenger& messenger) : messenger_(&messenger) {}
  LentObjects(const LentObjects&) = delete;
  LentObjects& operator=(const LentObjects&) = delete;
  /// A buffer to send `elements` from, which are memory of the object; the object exists until the
  /// buffer has been released.
  [[nodiscard]] core::Buffer lend(Resident& resident, std::span<const std::byte> elements);
  /// Called when the ObjectSpace ends. Objects still lent end with their buffers.
  void close();

 private:
  class Lent;

  core::SpinLock lock_;
  am::Messenger* messenger_ ROAM_GUARDED_BY(lock_);  // nullptr: the ObjectSpace has ended
  Lent* first_ ROAM_GUARDED_BY(lock_) = nullptr;
};

}  // namespace roam::mobile
