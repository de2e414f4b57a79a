// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>

namespace roam {

/// Base of everything that Roam throws. The message says what happened, where (rank, object,
/// handler) and what to do about it.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An option, configuration file or machine description is not valid. The program should exit with
/// status 2.
class ConfigError : public Error {
 public:
  using Error::Error;
};

/// Bytes received from another rank do not decode: they are truncated, oversized or inconsistent.
class MalformedMessage : public Error {
 public:
  using Error::Error;
};

/// The object that a call was addressed to does not exist (any more). The message names the object
/// and the handler.
class ObjectGone : public Error {
 public:
  using Error::Error;
};

/// A handler on some rank let an exception escape; what() holds its text with rank, object and
/// handler.
class RemoteError : public Error {
 public:
  using Error::Error;
};

/// The awaited request was cancelled on this rank.
class Cancelled : public Error {
 public:
  using Error::Error;
};

/// The awaited request had no answer by its deadline.
class DeadlineExceeded : public Cancelled {
 public:
  using Cancelled::Cancelled;
};

/// No progress is possible although work is unfinished; what() lists the waiting programs, objects
/// and calls.
class StuckError : public Error {
 public:
  using Error::Error;
};

/// The job is being stopped because of an error elsewhere; code that awaits something gets this
/// exception.
class JobAborted : public Error {
 public:
  using Error::Error;
};

/// The system has refused memory that Roam asked for. A std::bad_alloc that also says how many
/// bytes were asked for and what they were for.
class OutOfMemory : public std::bad_alloc {
 public:
  /// `purpose` as in "a message". Allocates nothing.
  OutOfMemory(std::size_t bytes, const char* purpose) noexcept;
  /// "out of memory: 4096 bytes for a message"; valid as long as this object.
  [[nodiscard]] const char* what() const noexcept override { return text_.data(); }

 private:
  std::array<char, 96> text_{};
};

/// What an exception says, for reports; never empty, whatever was thrown. For a std::bad_alloc it
/// also says how much memory this process has, and its limit.
[[nodiscard]] std::string words_of(const std::exception_ptr& error);

}  // namespace roam
