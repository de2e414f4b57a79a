// SPDX-License-Identifier: Apache-2.0
#include "roam/am/detail/answering_execution.hpp"

#include "roam/core/error.hpp"

namespace roam::am {

void AnsweringExecution::fail(const std::exception_ptr& error, const char* where) {
  std::string what;
  try {
    std::rethrow_exception(error);
  } catch (const JobAborted&) {
    return;
  } catch (const AnswerFailure& failure) {
    if (reply_to_) return messenger_.answer_failure(reply_to_, failure.status(), failure.what());
    what = failure.what();
  } catch (...) {
    what = words_of(error);
  }
  const std::string report =
      "rank " + std::to_string(messenger_.rank().value()) + ", " + describe() + ": " + where + what;
  if (reply_to_) {
    messenger_.answer_failure(reply_to_, ReplyStatus::handler_failed, report);
  } else {
    messenger_.engine().report_error(report);
  }
}

// Functions for all exceptions that may be thrown. The code compiled for each handler only calls
// them.
void AnsweringExecution::reject_arguments() {
  try {
    throw;
  } catch (const MalformedMessage& error) {
    messenger_.reject(reply_to_.rank, error.what());
    if (reply_to_) fail(std::current_exception(), words_on_arguments().c_str());
  } catch (...) {
    fail(std::current_exception(), words_on_arguments().c_str());
  }
}

void AnsweringExecution::fail_for_arguments(core::ArgumentCheck check,
                                            const core::PackedArguments& packed) {
  try {
    throw;
  } catch (const MalformedMessage&) {
    const std::string wrong = check(packed);
    if (wrong.empty()) return fail(std::current_exception(), words_on_arguments().c_str());
    fail(std::make_exception_ptr(Error(wrong)), words_on_arguments().c_str());
  } catch (...) {
    fail(std::current_exception(), words_on_arguments().c_str());
  }
}

std::string AnsweringExecution::words_on_arguments() const {
  return "the arguments from rank " + std::to_string(reply_to_.rank.value()) + " do not decode: ";
}

}  // namespace roam::am
