// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <type_traits>
#include <utility>

#include "roam/am/detail/messenger_class.hpp"
#include "roam/core/detail/argument_check.hpp"
#include "roam/core/detail/parameters.hpp"
#include "roam/exec/task.hpp"

namespace roam::am {

/// An execution that answers its caller and reports its failure.
class AnsweringExecution : public exec::Execution {
 public:
  AnsweringExecution(Messenger& messenger, const ReplyTo& reply_to)
      : messenger_(messenger), reply_to_(reply_to) {}
  AnsweringExecution(const AnsweringExecution&) = delete;
  AnsweringExecution& operator=(const AnsweringExecution&) = delete;
  [[nodiscard]] Request answers() const override { return {reply_to_.rank, reply_to_.token}; }

 protected:
  ~AnsweringExecution() = default;
  /// Calls `call()`, which is no coroutine, and answers with its result.
  template <class Call>
  void call_and_answer(Call&& call) {
    const std::uint64_t sent = reply_to_ ? sent_so_far() : 0;
    try {
      if constexpr (std::is_void_v<std::invoke_result_t<Call>>) {
        std::forward<Call>(call)();
        if (reply_to_) answer_in_order(sent);
      } else {
        auto&& value = std::forward<Call>(call)();
        if (reply_to_) answer_in_order(sent, std::forward<decltype(value)>(value));
      }
    } catch (...) {
      fail(std::current_exception());
    }
  }
  template <class V>
  void answer_value(V&& value) {
    if (reply_to_) messenger_.answer(reply_to_, std::forward<V>(value));
  }
  [[nodiscard]] Messenger& messenger() const { return messenger_; }
  [[nodiscard]] const ReplyTo& reply_to() const { return reply_to_; }
  /// Inside a catch block: the arguments that came do not decode, and no code of the program's
  /// takes part in that (their ArgumentCheck is nullptr), so that the bytes are none of its own:
  /// counted (A7). Whoever waits is told.
  void reject_arguments();
  /// The same where it does: a failure of the handler, which names the argument (R2).
  void fail_for_arguments(core::ArgumentCheck check, const core::PackedArguments& packed);
  /// Tells whoever waits - or the job - that the handler threw; `where`: what it was about.
  void fail(const std::exception_ptr& error, const char* where = "");

 private:
  [[nodiscard]] std::string words_on_arguments() const;
  [[nodiscard, gnu::noinline]] std::uint64_t sent_so_far() const {
    return messenger_.sent_by_this_thread();
  }
  /// Answers a request of this rank at once, unless the handler's thread, which had sent `sent`
  /// messages when the handler began, has sent something since that the answer would overtake.
  template <class... V>
  [[gnu::noinline]] void answer_in_order(std::uint64_t sent, V&&... value) {
    // An array may travel without a copy.
    if constexpr (!(core::ArrayParameter<std::remove_cvref_t<V>> || ...)) {
      if (reply_to_.rank == messenger_.rank() && !messenger_.may_have_sent_since(sent) &&
          !messenger_.engine().is_ahead_of_time())
        return messenger_.answer_here(reply_to_.token, std::forward<V>(value)...);
    }
    messenger_.answer(reply_to_, std::forward<V>(value)...);
  }
  Messenger& messenger_;
  ReplyTo reply_to_;
};

}  // namespace roam::am
