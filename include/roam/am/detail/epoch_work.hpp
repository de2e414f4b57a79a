// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include "roam/am/detail/messenger.hpp"

namespace roam::am {

/// Something of an epoch (0: none) that is unfinished, and is so until this goes: it has been
/// counted before. At most one of those that it was moved through counts. Any thread.
class EpochWork {
 public:
  EpochWork() = default;
  EpochWork(Messenger& messenger, std::uint64_t epoch) : messenger_(&messenger), epoch_(epoch) {}
  /// Of the epoch of what runs on this thread.
  [[nodiscard]] static EpochWork begin(Messenger& messenger);
  /// A message of the epoch has brought it. Throws MalformedMessage if there can be no such epoch;
  /// `what` was in the message.
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

/// What is issued in a scope belongs to an epoch (0: to none) of which somebody keeps work
/// meanwhile. Inside handlers and what runs between them. Not to be used over a co_await.
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
