// SPDX-License-Identifier: Apache-2.0
#include "roam/am/reply.hpp"

#include <mutex>

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

void PendingReply::complete(ReplyStatus status, core::Buffer buffer, std::size_t offset,
                            std::string text, core::Attachment attachment) {
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
  switch (status_) {
    case ReplyStatus::value:
      break;
    case ReplyStatus::handler_failed:
      throw RemoteError(text_);
    case ReplyStatus::object_gone:
      throw ObjectGone(text_);
    case ReplyStatus::aborted:
      throw JobAborted(text_);
  }
  core::Unpacker bytes(buffer_.bytes().subspan(offset_));
  bytes.set_attachment(&attachment_);
  return bytes;
}

void PendingReply::release() {
  if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
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

std::uint64_t ReplyTable::add(PendingReply* reply) {
  const std::lock_guard guard(lock_);
  if (first_free_ == 0) {
    slots_.emplace_back();
    first_free_ = static_cast<std::uint32_t>(slots_.size());
  }
  const std::uint32_t index = first_free_ - 1;
  Slot& slot = slots_[index];
  first_free_ = slot.next_free;
  slot.reply = reply;
  ++used_;
  return (std::uint64_t{slot.generation} << 32) | index;
}

PendingReply* ReplyTable::take(std::uint64_t token) {
  const auto index = static_cast<std::uint32_t>(token);
  const auto generation = static_cast<std::uint32_t>(token >> 32);
  const std::lock_guard guard(lock_);
  if (index >= slots_.size()) return nullptr;
  Slot& slot = slots_[index];
  if (slot.generation != generation || slot.reply == nullptr) return nullptr;
  if (++slot.generation == 0) slot.generation = 1;
  slot.next_free = first_free_;
  first_free_ = index + 1;
  --used_;
  return std::exchange(slot.reply, nullptr);
}

void ReplyTable::abort_all(const std::string& reason) {
  std::vector<PendingReply*> all;
  {
    const std::lock_guard guard(lock_);
    for (Slot& slot : slots_) {
      if (slot.reply != nullptr) all.push_back(std::exchange(slot.reply, nullptr));
    }
  }
  for (PendingReply* reply : all) reply->complete(ReplyStatus::aborted, {}, 0, reason);
}

ReplyTable::~ReplyTable() {
  for (Slot& slot : slots_) {
    if (slot.reply != nullptr) slot.reply->release();
  }
}

std::size_t ReplyTable::size() const {
  const std::lock_guard guard(lock_);
  return used_;
}

}  // namespace roam::am
