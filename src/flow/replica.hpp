// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "roam/flow/collection.hpp"
#include "roam/flow/detail/exchange.hpp"

namespace roam::flow {

/// The value of a frozen datum on a rank that reads it, for all fetches there: its bytes, and from
/// the first task on that asks for it, the value. Thread-safe.
class Replica {
 public:
  /// Of a value, or the text of a failure, that has come from the rank that published it.
  explicit Replica(Arrived&& arrived)
      : arrived_(std::move(arrived)),
        bytes_(arrived_.bytes.payload()),
        has_failed_(arrived_.has_failed) {}
  /// Of a value of a program whose tasks run at once.
  explicit Replica(std::vector<std::byte>&& bytes)
      : own_(std::move(bytes)), bytes_(own_), has_failed_(false) {}
  Replica(const Replica&) = delete;
  Replica& operator=(const Replica&) = delete;

  /// True if failure() has come in place of a value.
  [[nodiscard]] bool has_failed() const { return has_failed_; }
  [[nodiscard]] std::string failure() const {
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
  }
  /// The value, of the same type at each call; it lives as long as somebody has it. The first call
  /// reads it from the bytes, while others wait. Throws what that throws; the next call then tries
  /// again.
  [[nodiscard]] std::shared_ptr<const void> value(const ElementType& type) {
    const std::lock_guard guard(mutex_);
    if (value_ == nullptr) {
      core::Unpacker unpacker(bytes_);
      value_ = type.share(unpacker);
      bytes_ = {};
      own_ = {};
      arrived_ = {};
    }
    return value_;
  }

 private:
  std::mutex mutex_;  // of all that follows, if there is a value
  Arrived arrived_;
  std::vector<std::byte> own_;
  std::span<const std::byte> bytes_;
  const bool has_failed_;
  std::shared_ptr<const void> value_;
};

}  // namespace roam::flow
