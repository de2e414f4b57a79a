// SPDX-License-Identifier: Apache-2.0
#include "roam/am/reply.hpp"

#include <exception>

#include "roam/am/detail/messenger.hpp"
#include "roam/core/error.hpp"

namespace roam::am {

bool PendingReply::wait(exec::Suspension* waiter) {
  const core::LockGuard guard(waits_.lock());
  if (phase_.load(std::memory_order_relaxed) == Phase::done) return false;
  waiter_ = waiter;
  if (waits_.is_measured()) [[unlikely]]
    idle_before_ = engine_.idle_time();
  phase_.store(Phase::waiting, std::memory_order_relaxed);
  waits_.add_locked(this);
  return true;
}

std::optional<Duration> PendingReply::idle_before() const {
  const bool is_waiting = phase_.load(std::memory_order_relaxed) == Phase::waiting;
  return is_waiting && waits_.is_measured() ? std::optional(idle_before_) : std::nullopt;
}

bool PendingReply::stop_waiting() {
  const core::LockGuard guard(waits_.lock());
  if (phase_.load(std::memory_order_relaxed) != Phase::waiting) return false;
  phase_.store(Phase::empty, std::memory_order_relaxed);
  waits_.remove_locked(this);
  return true;
}

exec::Suspension* PendingReply::settle(ReplyContents&& contents) {
  const Phase before = phase_.load(std::memory_order_relaxed);
  // The request was cancelled, or this answer is too late.
  if (before == Phase::done) return nullptr;
  contents_ = std::move(contents);
  if (before == Phase::waiting) waits_.remove_locked(this);
  phase_.store(Phase::done, std::memory_order_release);
  return before == Phase::waiting ? waiter_ : nullptr;
}

void PendingReply::complete(ReplyContents&& contents) {
  exec::Suspension* waiter = nullptr;
  {
    const core::LockGuard guard(waits_.lock());
    waiter = settle(std::move(contents));
  }
  if (waiter != nullptr) waiter->resume();
  release();
}

core::Unpacker PendingReply::open() {
  if (contents_.status != ReplyStatus::value) ignore();
  switch (contents_.status) {
    case ReplyStatus::value:
      break;
    case ReplyStatus::handler_failed:
      throw RemoteError(contents_.text);
    case ReplyStatus::object_gone:
      throw ObjectGone(contents_.text);
    case ReplyStatus::aborted:
      throw JobAborted(contents_.text);
    case ReplyStatus::cancelled:
      throw Cancelled(contents_.text);
    case ReplyStatus::deadline_exceeded:
      throw DeadlineExceeded(contents_.text);
  }
  core::Unpacker bytes(contents_.buffer.bytes().subspan(contents_.offset));
  bytes.set_attachment(&contents_.attachment);
  return bytes;
}

void PendingReply::release() {
  // A thread that has the last reference needs no read-modify-write.
  if (references_.load(std::memory_order_acquire) != 1 &&
      references_.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  const bool is_failure = contents_.status == ReplyStatus::handler_failed ||
                          contents_.status == ReplyStatus::object_gone;
  if (is_failure && !is_seen_.load(std::memory_order_relaxed) && !engine_.stopped())
    engine_.report_error(contents_.text + " (nobody awaits the answer)");
  delete this;
}

void PendingReply::drop() {
  const bool is_value = is_done() && contents_.status == ReplyStatus::value;
  if (!is_value && std::uncaught_exceptions() > 0) ignore();
  release();
}

std::string PendingReply::waits_for() const {
  std::string text = "the reply of " + std::string(label_);
  if (subject_) text += " from object " + to_string(subject_);
  return text;
}

// These two are called under the list's lock, by WaitList::for_each().
std::string PendingReply::who() const ROAM_NO_THREAD_SAFETY_ANALYSIS {
  const exec::Execution* execution = waiter_ == nullptr ? nullptr : waiter_->execution();
  return execution == nullptr ? "a coroutine" : execution->describe();
}

exec::WaitList::Entry::Details PendingReply::details() const ROAM_NO_THREAD_SAFETY_ANALYSIS {
  if (waiter_ == nullptr) return {nullptr, {}, subject_, token_};
  return {waiter_->execution(), waiter_->subject(), subject_, token_};
}

std::uint64_t ReplyTable::add(PendingReply* reply) {
  const core::LockGuard guard(waits_.lock());
  const std::uint64_t token = pending_.add(reply);
  reply->set_token(token);
  return token;
}

void Canceller::cancel() const {
  engine_->services().get<Messenger>()->requests().cancel(token_, ReplyStatus::cancelled);
}

bool ReplyTable::complete(std::uint64_t token, ReplyContents&& contents) {
  PendingReply* reply = nullptr;
  exec::Suspension* waiter = nullptr;
  {
    const core::LockGuard guard(waits_.lock());
    reply = pending_.take(token);
    if (reply == nullptr) return false;
    waiter = reply->settle(std::move(contents));
    // The coroutine that waits has the other reference, and cannot give it up now.
    if (waiter != nullptr) reply->references_.store(1, std::memory_order_relaxed);
  }
  if (waiter == nullptr) {
    reply->release();
  } else {
    waiter->resume();
  }
  return true;
}

ObjectId ReplyTable::give_up(std::uint64_t token, ReplyStatus status, const char* why) {
  ObjectId subject;
  exec::Suspension* waiter = nullptr;
  {
    const core::LockGuard guard(waits_.lock());
    PendingReply* const reply = pending_.find(token);
    if (reply == nullptr || reply->is_done()) return {};
    subject = reply->subject();
    waiter = reply->settle({.status = status, .text = reply->waits_for() + why});
  }
  if (waiter != nullptr) waiter->resume();
  return subject;
}

std::optional<Duration> ReplyTable::idle_before(std::uint64_t token) const {
  const core::LockGuard guard(waits_.lock());
  const PendingReply* const reply = pending_.find(token);
  return reply == nullptr ? std::nullopt : reply->idle_before();
}

std::vector<PendingReply*> ReplyTable::take_all() {
  const core::LockGuard guard(waits_.lock());
  return pending_.take_all();
}

void ReplyTable::abort_all(const std::string& reason) {
  for (PendingReply* const reply : take_all())
    reply->complete({.status = ReplyStatus::aborted, .text = reason});
}

ReplyTable::ReplyTable(exec::WaitList& waits) : waits_(waits) {}

ReplyTable::~ReplyTable() {
  for (PendingReply* const reply : take_all()) reply->release();
}

}  // namespace roam::am
