// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "roam/core/error.hpp"

namespace roam::exec {
class Engine;
}  // namespace roam::exec

namespace roam::flow {

/// A task threw, or could not run; thrown to whoever awaits what it was to write, directly or by
/// way of other tasks. what() names task, source line and cause.
class TaskFailed : public Error {
 public:
  /// @cond
  TaskFailed(const std::string& text, std::exception_ptr cause)
      : Error(text), cause_(std::move(cause)) {}
  /// @endcond

  /// What the task threw; nullptr if that was on another rank.
  [[nodiscard]] const std::exception_ptr& cause() const { return cause_; }

 private:
  std::exception_ptr cause_;
};

/// @cond
/// With these the text of a failure begins that is no error: Flow::cancel(). Nobody need be told,
/// on whatever rank it is.
inline constexpr std::string_view cancelled_words = "cancelled";

/// Why data have no value. Shared by all data that depend on the task; if all of them are gone and
/// nobody was told, the job's error handler is. Any thread.
class Failure {
 public:
  Failure(exec::Engine& engine, std::string text, std::exception_ptr cause)
      : engine_(engine),
        text_(std::move(text)),
        cause_(std::move(cause)),
        is_told_(text_.starts_with(cancelled_words)) {}
  Failure(const Failure&) = delete;
  Failure& operator=(const Failure&) = delete;

  void add_reference() { references_.fetch_add(1, std::memory_order_relaxed); }
  void release();
  [[nodiscard]] const std::string& text() const { return text_; }
  /// Throws TaskFailed; from then on somebody knows.
  [[noreturn]] void raise();
  /// It has been told to somebody by other means.
  void note_told() { is_told_.store(true, std::memory_order_relaxed); }

 private:
  ~Failure() = default;

  exec::Engine& engine_;
  const std::string text_;
  const std::exception_ptr cause_;
  std::atomic<std::uint32_t> references_{1};
  std::atomic<bool> is_told_;
};

/// A reference to a Failure, or none.
class FailureRef {
 public:
  FailureRef() = default;
  /// Takes over a reference.
  explicit FailureRef(Failure* failure) : failure_(failure) {}
  FailureRef(const FailureRef& other) : failure_(other.failure_) {
    if (failure_ != nullptr) failure_->add_reference();
  }
  FailureRef(FailureRef&& other) noexcept : failure_(std::exchange(other.failure_, nullptr)) {}
  FailureRef& operator=(FailureRef other) noexcept {
    std::swap(failure_, other.failure_);
    return *this;
  }
  ~FailureRef() {
    if (failure_ != nullptr) failure_->release();
  }
  [[nodiscard]] explicit operator bool() const { return failure_ != nullptr; }
  [[nodiscard]] Failure* operator->() const { return failure_; }

 private:
  Failure* failure_ = nullptr;
};
/// @endcond

}  // namespace roam::flow
