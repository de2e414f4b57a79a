// SPDX-License-Identifier: Apache-2.0
#include "roam/am/reply.hpp"

#include <exception>

#include "roam/am/messenger.hpp"
#include "roam/core/error.hpp"

namespace roam::am {

bool PendingReply::wait(exec::Suspension* waiter) {
  waiter_ = waiter;
  engine_.waits().add(this);
  std::uint32_t expected = empty;
  if (phase_.compare_exchange_strong(expected, waiting, std::memory_order_acq_rel)) return true;
  engine_.waits().remove(this);
  return false;
}

bool PendingReply::stop_waiting() {
  std::uint32_t expected = waiting;
  if (!phase_.compare_exchange_strong(expected, empty, std::memory_order_acq_rel)) return false;
  engine_.waits().remove(this);
  return true;
}

void PendingReply::complete(ReplyStatus status, core::Buffer buffer, std::size_t offset,
                            std::string text, core::Attachment attachment) {
  if (is_completing_.exchange(true, std::memory_order_acq_rel)) return release();
  status_ = status;
  buffer_ = std::move(buffer);
  offset_ = offset;
  text_ = std::move(text);
  attachment_ = std::move(attachment);
  if (phase_.exchange(done, std::memory_order_acq_rel) == waiting) {
    engine_.waits().remove(this);
    waiter_->resume();
  }
  release();
}

core::Unpacker PendingReply::open() {
  if (status_ != ReplyStatus::value) ignore();
  switch (status_) {
    case ReplyStatus::value:
      break;
    case ReplyStatus::handler_failed:
      throw RemoteError(text_);
    case ReplyStatus::object_gone:
      throw ObjectGone(text_);
    case ReplyStatus::aborted:
      throw JobAborted(text_);
    case ReplyStatus::cancelled:
      throw Cancelled(text_);
    case ReplyStatus::deadline_exceeded:
      throw DeadlineExceeded(text_);
  }
  core::Unpacker bytes(buffer_.bytes().subspan(offset_));
  bytes.set_attachment(&attachment_);
  return bytes;
}

void PendingReply::release() {
  // Whoever has the last reference alone needs no read-modify-write.
  if (references_.load(std::memory_order_acquire) != 1 &&
      references_.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  const bool is_failure =
      status_ == ReplyStatus::handler_failed || status_ == ReplyStatus::object_gone;
  if (is_failure && !is_seen_.load(std::memory_order_relaxed) && !engine_.stopped())
    engine_.report_error(text_ + " (nobody awaits the answer)");
  delete this;
}

void PendingReply::drop() {
  const bool is_value = is_done() && status_ == ReplyStatus::value;
  if (!is_value && std::uncaught_exceptions() > 0) ignore();
  release();
}

std::string PendingReply::waits_for() const {
  std::string text = "the reply of " + std::string(label_);
  if (subject_) text += " from object " + to_string(subject_);
  return text;
}

std::string PendingReply::who() const {
  const exec::Execution* execution = waiter_ == nullptr ? nullptr : waiter_->execution();
  return execution == nullptr ? "a coroutine" : execution->describe();
}

exec::WaitList::Entry::Details PendingReply::details() const {
  if (waiter_ == nullptr) return {nullptr, {}, subject_, token_};
  return {waiter_->execution(), waiter_->subject(), subject_, token_};
}

std::uint64_t ReplyTable::add(PendingReply* reply) {
  const core::LockGuard guard(lock_);
  const std::uint64_t token = pending_.add(reply);
  reply->set_token(token);
  return token;
}

void Canceller::cancel() const {
  engine_->services().get<Messenger>()->requests().cancel(token_, ReplyStatus::cancelled);
}

PendingReply* ReplyTable::take(std::uint64_t token) {
  const core::LockGuard guard(lock_);
  return pending_.take(token);
}

PendingReply* ReplyTable::find(std::uint64_t token) {
  const core::LockGuard guard(lock_);
  PendingReply* reply = pending_.find(token);
  if (reply != nullptr) reply->add_reference();
  return reply;
}

void ReplyTable::abort_all(const std::string& reason) {
  std::vector<PendingReply*> all;
  {
    const core::LockGuard guard(lock_);
    all = pending_.take_all();
  }
  for (PendingReply* reply : all) reply->complete(ReplyStatus::aborted, {}, 0, reason);
}

ReplyTable::~ReplyTable() {
  for (PendingReply* reply : pending_.take_all()) reply->release();
}

std::size_t ReplyTable::size() const {
  const core::LockGuard guard(lock_);
  return pending_.size();
}

}  // namespace roam::am
