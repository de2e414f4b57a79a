// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "roam/am/detail/messenger.hpp"
#include "roam/core/archive.hpp"
#include "roam/core/detail/parameters.hpp"
#include "roam/offload/detail/messages.hpp"
#include "roam/offload/detail/task_function.hpp"

namespace roam::offload {

/// A task of another rank, from its arrival to its answer. Owned by Guests.
class GuestTask {
 public:
  GuestTask(am::Messenger& messenger, const TaskFunctionRegistrar& function, std::uint64_t token,
            double expected_seconds, am::Incoming&& message);

  /// Computes the task and answers it. Does not throw.
  void run();
  [[nodiscard]] std::string describe() const;
  /// The function's name, in static storage.
  [[nodiscard]] const char* label() const { return function_.function().name.text.data(); }
  [[nodiscard]] Rank home() const { return message_.source; }
  [[nodiscard]] std::uint64_t token() const { return token_; }
  /// Of the message that has brought it.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] std::uint32_t function_id() const { return function_.id(); }
  /// Memory reserved for its result.
  [[nodiscard]] std::uint64_t reserved_bytes() const { return reserved_bytes_; }
  /// `measures`: the size of the result is to be found, for which it is packed once more.
  void set_reserved_bytes(std::uint64_t bytes, bool measures) {
    reserved_bytes_ = bytes;
    measures_result_ = measures;
  }
  /// Of its result, packed; 0: not measured, or there is none.
  [[nodiscard]] std::uint64_t result_bytes() const { return result_bytes_; }
  /// Seconds that its own rank expects it to take; 0: not known.
  [[nodiscard]] double expected_seconds() const { return expected_seconds_; }
  [[nodiscard]] Instant begun() const { return begin_; }
  [[nodiscard]] Instant arrived() const { return arrived_; }
  /// When it is expected to end; 0: not asked for.
  [[nodiscard]] Instant expected_end() const { return expected_end_; }
  void set_expected_end(Instant when) { expected_end_ = when; }
  /// `starved`: how long a worker was idle before, see Returned.
  void set_arrived(Instant when, Duration starved) {
    arrived_ = when;
    starved_ = starved;
  }

  /// A guest task that computes Function of the arguments received and answers with its result or
  /// its failure.
  template <auto Function>
  void compute() {
    using Callable = core::CallableOf<Function>;
    using Arguments = typename Callable::Arguments;
    using Result = typename Callable::Result;
    try {
      core::Unpacker bytes(message_.payload());
      if constexpr (core::has_array_parameter<Arguments>)
        bytes.set_attachment(&message_.attachment);
      auto arguments = core::unpack_parameters<Arguments>(bytes);
      if (bytes.remaining() > 0) core::throw_too_long();
      if constexpr (std::is_void_v<Result>) {
        core::apply_parameters<Arguments>(Function, arguments);
        messenger_.post_behind(home(), answer(), std::type_identity<std::tuple<>>{});
      } else {
        Result result = core::apply_parameters<Arguments>(Function, arguments);
        constexpr std::type_identity<std::tuple<Result>> of_result;
        if (measures_result_) {
          core::Packer counter = core::Packer::counting();
          core::pack_parameters(of_result, counter, nullptr, std::as_const(result));
          result_bytes_ = counter.counted();
        }
        messenger_.post_behind(home(), answer(), of_result, std::move(result));
      }
    } catch (...) {
      fail(std::current_exception());
    }
  }

 private:
  [[nodiscard]] Returned answer() const;
  void fail(const std::exception_ptr& error);

  am::Messenger& messenger_;
  const TaskFunctionRegistrar& function_;
  const std::uint64_t token_;
  const double expected_seconds_;
  am::Incoming message_;
  const std::uint64_t bytes_;
  std::uint64_t reserved_bytes_ = 0;
  std::uint64_t result_bytes_ = 0;
  bool measures_result_ = false;
  Instant begin_{0};
  Instant arrived_{0};
  Instant expected_end_{0};
  Duration starved_{0};
};

}  // namespace roam::offload
