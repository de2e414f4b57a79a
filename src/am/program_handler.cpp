// SPDX-License-Identifier: Apache-2.0
#include "roam/am/program_handler.hpp"

#include <algorithm>
#include <mutex>

#include "source_line.hpp"

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

// Functions for all that may be thrown: the handlers' code, which is compiled for each of them,
// only calls them.
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

std::string PassingExecution::describe() const { return handler_.describe(); }

void HandlerRun::end_in_epoch() {
  Epochs& epochs = messenger().epochs();
  const std::uint64_t epoch = epoch_;
  destroy();
  epochs.end_work(epoch);
}

std::string HandlerRun::describe() const { return handler_.describe(); }

void Messenger::queue_behind_source(Rank source, exec::ReadyItem* run) {
  auto& line = source_lines_[source.value()];
  if (line == nullptr) line = std::make_unique<SourceLine>(*this, source);
  line->add(run);
}

void Messenger::keep_alive(HandlerExecution* execution) {
  const std::lock_guard guard(live_lock_);
  execution->next_live_ = first_live_;
  if (first_live_ != nullptr) first_live_->previous_live_ = execution;
  first_live_ = execution;
}

void Messenger::let_go(HandlerExecution* execution) {
  const std::lock_guard guard(live_lock_);
  HandlerExecution* previous = execution->previous_live_;
  HandlerExecution* next = execution->next_live_;
  (previous == nullptr ? first_live_ : previous->next_live_) = next;
  if (next != nullptr) next->previous_live_ = previous;
}

void Messenger::abandon_all() {
  epochs_->stop();
  while (first_live_ != nullptr) first_live_->abandon();
}

Messenger::SourceLine::~SourceLine() {
  while (first_ != nullptr) std::exchange(first_, first_->next)->drop();
}

void Messenger::SourceLine::add(exec::ReadyItem* run) {
  bool was_empty = false;
  run->next = nullptr;
  {
    const std::lock_guard guard(lock_);
    was_empty = first_ == nullptr;
    (was_empty ? first_ : last_->next) = run;
    last_ = run;
  }
  if (was_empty) messenger_.engine().push(this);
}

void Messenger::SourceLine::run(exec::Context& context) {
  exec::ReadyItem* first = nullptr;
  bool more = false;
  BatchEntry entry;
  std::span<const std::byte> payload;
  std::shared_ptr<const core::Buffer> batch;
  {
    const std::lock_guard guard(lock_);
    first = first_;
    bool is_taken = true;
    if (first->has_parts) {
      auto* parts = static_cast<BatchInLine*>(first);
      static_cast<void>(parts->next_entry(entry, payload, batch));
      is_taken = parts->at_end();
    }
    if (is_taken) first_ = first->next;
    more = first_ != nullptr;
    if (batch != nullptr && !is_taken) first = nullptr;
  }
  // The next one may start elsewhere as soon as this one has been taken.
  if (more) messenger_.engine().push(this);
  if (batch == nullptr) return first->run(context);
  if (first != nullptr) first->drop();
  run_entry(entry, payload, context);
}

void Messenger::SourceLine::run_entry(const BatchEntry& entry, std::span<const std::byte> payload,
                                      exec::Context& context) {
  const ProgramHandler& handler = *messenger_.handlers().find(entry.handler)->program;
  handler.run_in_place(messenger_, handler, source_, payload, context);
}

}  // namespace roam::am
