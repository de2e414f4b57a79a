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

/// Reports that a task threw, or could not run; thrown to whoever awaits a value that depends on
/// it, directly or through other tasks. what() names task, source line and cause.
class TaskFailed : public Error {
 public:
  /// @cond
  TaskFailed(const std::string& text, std::exception_ptr cause)
      : Error(text), cause_(std::move(cause)) {}
  /// @endcond

  /// The exception of the task; nullptr if it was thrown on another rank.
  [[nodiscard]] const std::exception_ptr& cause() const { return cause_; }

 private:
  std::exception_ptr cause_;
};

/// @cond
/// The texts of failures that are not errors, but due to Flow::cancel(), begin with these words.
/// They need not be reported, whatever rank they come from.
inline constexpr std::string_view cancelled_words = "cancelled";

/// The reason why data have no value, shared by all data that depend on the task. If all of them
/// have been destroyed and nobody was told, it goes to the job's error handler. Any thread.
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
  /// Throws TaskFailed; the failure then counts as reported.
  [[noreturn]] void raise();
  /// Marks the failure as reported in another way.
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
