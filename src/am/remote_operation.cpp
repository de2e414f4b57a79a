// SPDX-License-Identifier: Apache-2.0
#include "roam/am/remote_operation.hpp"

#include <cstring>
#include <mutex>

#include "roam/am/messenger.hpp"
#include "roam/core/error.hpp"

namespace roam::am {

OperationWait::~OperationWait() {
  if (!has_waited_) return;
  const std::lock_guard guard(operation_.table_->lock_);
  if (!is_waiting_) return;
  operation_.waits_[static_cast<std::size_t>(completion_)] = nullptr;
  if (Messenger* messenger = operation_.table_->messenger_; messenger != nullptr)
    messenger->engine().waits().remove(this);
}

bool OperationWait::wait(std::coroutine_handle<> handle) {
  capture(handle);
  OperationTable& table = *operation_.table_;
  const std::lock_guard guard(table.lock_);
  const bool is_answered = operation_.answered_ || completion_ == Completion::local;
  if (is_answered && !operation_.lent_) return false;
  operation_.waits_[static_cast<std::size_t>(completion_)] = this;
  has_waited_ = true;
  is_waiting_ = true;
  table.messenger_->engine().waits().add(this);
  return true;
}

std::string OperationWait::waits_for() const {
  return std::string(completion_ == Completion::local ? "the local completion of " : "") +
         operation_.verb_ + " at rank " + std::to_string(operation_.target_.value());
}

std::string OperationWait::who() const {
  return execution() == nullptr ? "a coroutine" : execution()->describe();
}

Operation::~Operation() {
  if (then != nullptr) then->drop();
}

core::Buffer Operation::lend(std::span<const std::byte> memory) {
  references_.fetch_add(1, std::memory_order_relaxed);
  {
    const std::lock_guard guard(table_->lock_);
    lent_ = true;
    table_->messenger_->begin_lending(memory.size());
  }
  return core::Buffer::borrow_to_send(memory, this);
}

void Operation::take_back(std::span<std::byte> memory) noexcept {
  {
    const std::lock_guard guard(table_->lock_);
    lent_ = false;
    table_->resume(*this, Completion::local);
    if (answered_) table_->resume(*this, Completion::remote);
    if (table_->messenger_ != nullptr) table_->messenger_->end_lending(memory.size());
  }
  release();
}

bool Operation::is_done(Completion completion) const {
  const std::lock_guard guard(table_->lock_);
  return !lent_ && (answered_ || completion == Completion::local);
}

std::string Operation::describe_failure() const {
  return describe_fault(verb_, target_, access_, answer_.fault, answer_.region_bytes);
}

std::span<const std::byte> Operation::value() {
  {
    const std::lock_guard guard(table_->lock_);
    told_ = true;
  }
  if (answer_.fault != AccessFault::none) throw RemoteMemoryError(describe_failure());
  return answer_.message.bytes().subspan(answer_.offset);
}

void Operation::let_go() {
  Messenger* messenger = nullptr;
  {
    const std::lock_guard guard(table_->lock_);
    let_go_ = true;
    if (answered_ && answer_.fault != AccessFault::none && !told_) messenger = table_->messenger_;
  }
  if (messenger != nullptr) messenger->engine().report_error(describe_failure());
  release();
}

void Operation::release() {
  if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

std::pair<Operation*, std::uint64_t> OperationTable::start(const char* verb, Rank target,
                                                           const Access& access) {
  auto* operation = new Operation(shared_from_this(), verb, target, access);
  const std::lock_guard guard(lock_);
  return {operation, operations_.add(operation)};
}

Operation* OperationTable::find(std::uint64_t token, Rank source) const {
  Operation* const operation = operations_.find(token);
  return operation != nullptr && operation->target() == source ? operation : nullptr;
}

core::Buffer OperationTable::landing_place(std::uint64_t token, Rank source, std::size_t bytes) {
  const std::lock_guard guard(lock_);
  Operation* operation = find(token, source);
  if (operation == nullptr || operation->landing_ || operation->destination.layout != nullptr ||
      operation->destination.first == nullptr || operation->destination.bytes != bytes) {
    return {};
  }
  operation->landing_ = true;
  return core::Buffer::borrow(std::span(operation->destination.first, bytes), nullptr);
}

void OperationTable::finish(std::uint64_t token, Rank source, Answer&& answer,
                            const std::byte* landed_at) {
  Operation* operation = nullptr;
  const bool has_landed = landed_at != nullptr;
  {
    const std::lock_guard guard(lock_);
    operation = find(token, source);
    if (operation == nullptr || operation->landing_ != has_landed ||
        (has_landed && landed_at != operation->destination.first))
      throw MalformedMessage("an answer to no remote operation");
    const std::uint64_t expected = operation->destination.bytes;
    const bool carries_data = answer.fault == AccessFault::none && !has_landed;
    if (carries_data && operation->destination.first != nullptr &&
        answer.message.size() - answer.offset != expected) {
      throw MalformedMessage("an answer of another size than was asked for");
    }
    operations_.take(token);
  }
  const Operation::Destination& to = operation->destination;
  if (answer.fault == AccessFault::none && !has_landed && to.first != nullptr) {
    const std::byte* data = answer.message.data() + answer.offset;
    if (to.layout != nullptr) {
      scatter(data, to.first, *to.layout);
    } else {
      std::memcpy(to.first, data, static_cast<std::size_t>(to.bytes));
    }
    answer.message.reset();
    answer.offset = 0;
  }
  std::string unheard;
  Messenger* messenger = nullptr;
  {
    const std::lock_guard guard(lock_);
    operation->answer_ = std::move(answer);
    operation->answered_ = true;
    const bool has_failed = operation->answer_.fault != AccessFault::none;
    if (operation->then != nullptr && !has_failed)
      messenger_->engine().push(std::exchange(operation->then, nullptr));
    if (!operation->lent_) resume(*operation, Completion::remote);
    if (has_failed && operation->let_go_) {
      unheard = operation->describe_failure();
      messenger = messenger_;
    }
  }
  if (messenger != nullptr) messenger->engine().report_error(unheard);
  operation->release();
}

void OperationTable::withdraw(std::uint64_t token) {
  Operation* operation = nullptr;
  {
    const std::lock_guard guard(lock_);
    operation = operations_.take(token);
  }
  operation->release();
}

void OperationTable::resume(Operation& operation, Completion completion) {
  OperationWait*& wait = operation.waits_[static_cast<std::size_t>(completion)];
  if (wait == nullptr || messenger_ == nullptr) return;
  messenger_->engine().waits().remove(wait);
  wait->is_waiting_ = false;
  std::exchange(wait, nullptr)->resume();
}

void OperationTable::disconnect() {
  std::vector<Operation*> left;
  {
    const std::lock_guard guard(lock_);
    messenger_ = nullptr;
    left = operations_.take_all();
  }
  for (Operation* operation : left) operation->release();
}

}  // namespace roam::am
