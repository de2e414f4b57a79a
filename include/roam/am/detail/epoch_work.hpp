// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include "roam/am/detail/messenger.hpp"

namespace roam::am {

/// An unfinished piece of work of an epoch (0: of none). It has been counted before, and counts as
/// unfinished until this object is destroyed. If the object is moved, only the last one counts. Any
/// thread.
class EpochWork {
 public:
  EpochWork() = default;
  EpochWork(Messenger& messenger, std::uint64_t epoch) : messenger_(&messenger), epoch_(epoch) {}
  /// Begins a piece of work in the epoch of the code that runs on this thread.
  [[nodiscard]] static EpochWork begin(Messenger& messenger);
  /// The piece of work that a message of the epoch has brought. Throws MalformedMessage if there
  /// can be no such epoch; `what` names what was in the message.
  [[nodiscard]] static EpochWork arrived(Messenger& messenger, std::uint64_t epoch,
                                         const char* what);
  EpochWork(EpochWork&& other) noexcept
      : messenger_(other.messenger_), epoch_(std::exchange(other.epoch_, 0)) {}
  EpochWork& operator=(EpochWork&& other) noexcept {
    std::swap(messenger_, other.messenger_);
    std::swap(epoch_, other.epoch_);
    return *this;
  }
  ~EpochWork() {
    if (epoch_ != 0) messenger_->epochs().end_work(epoch_);
  }
  [[nodiscard]] std::uint64_t epoch() const { return epoch_; }

 private:
  Messenger* messenger_ = nullptr;
  std::uint64_t epoch_ = 0;
};

/// Within this scope, what is issued belongs to an epoch (0: to none), whose work somebody else
/// keeps unfinished meanwhile. For handlers and the code between them. Must not extend over a
/// co_await.
class EpochScope {
 public:
  explicit EpochScope(std::uint64_t epoch);
  EpochScope(const EpochScope&) = delete;
  EpochScope& operator=(const EpochScope&) = delete;
  ~EpochScope();

 private:
  exec::Context& context_;
  const std::uint64_t outer_;
  const std::uint64_t epoch_;
};

}  // namespace roam::am
