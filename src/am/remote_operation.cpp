// SPDX-License-Identifier: Apache-2.0
#include "roam/am/remote_operation.hpp"

#include <cstring>
#include <mutex>
#include <vector>

#include "roam/am/detail/messenger.hpp"
#include "roam/core/error.hpp"

namespace roam::am {

// --- steps that several functions take ---

// Notes that the caller's memory is free again; if the answer has come too, the operation is over.
inline void OperationTable::complete(Operation& operation) {
  const bool is_answered = operation.flags_.is_answered;
  const std::uint8_t local = Operation::bit(Completion::local);
  const std::uint8_t all = local | Operation::bit(Completion::remote);
  if (is_answered) static_cast<void>(operations_.take(operation.token_));
  operation.done_.store(is_answered ? all : local, std::memory_order_release);
  resume(operation, Completion::local);
  if (is_answered) resume(operation, Completion::remote);
}

inline void OperationTable::resume(Operation& operation, Completion completion) {
  OperationWait*& wait = operation.waits_[static_cast<std::size_t>(completion)];
  if (wait == nullptr || messenger_ == nullptr) return;
  count_waits(-1);
  wait->is_waiting_ = false;
  std::exchange(wait, nullptr)->resume();
}

inline void OperationTable::recycle(Operation& operation) {
  --records_in_use_;
  ++free_count_;
  operation.next_free_ = std::exchange(free_, &operation);
}

// --- waiting ---

bool OperationWait::wait(std::coroutine_handle<> handle) {
  capture(handle);
  OperationTable& table = operation_.table_;
  const core::LockGuard guard(table.lock_);
  if (operation_.is_done(completion_)) return false;
  operation_.waits_[static_cast<std::size_t>(completion_)] = this;
  has_waited_ = true;
  is_waiting_ = true;
  table.count_waits(1);
  return true;
}

// Called when the frame of the coroutine is destroyed while it waits.
void OperationWait::leave() {
  OperationTable& table = operation_.table_;
  const core::LockGuard guard(table.lock_);
  if (!is_waiting_) return;
  operation_.waits_[static_cast<std::size_t>(completion_)] = nullptr;
  table.count_waits(-1);
}

std::string OperationWait::waits_for() const {
  return std::string(completion_ == Completion::local ? "the local completion of " : "") +
         operation_.verb_ + " at rank " + std::to_string(operation_.target_.value());
}

std::string OperationWait::who() const {
  return execution() == nullptr ? "a coroutine" : execution()->describe();
}

// --- one operation ---

void Operation::begin(const char* verb, Rank target, const Access& access,
                      std::uint8_t word_bytes) {
  verb_ = verb;
  target_ = target;
  word_bytes_ = word_bytes;
  access_ = access;
  flags_ = {};
  is_told_ = false;
  answer_.fault = AccessFault::none;
  answer_.offset = 0;
  destination.first = nullptr;
  destination.bytes = 0;
  done_.store(bit(Completion::local), std::memory_order_relaxed);
}

core::Buffer Operation::lend(std::span<const std::byte> memory) {
  {
    const core::LockGuard guard(table_.lock_);
    flags_.is_lent = true;
    done_.store(0, std::memory_order_relaxed);
    table_.messenger_->begin_lending(memory.size());
  }
  return core::Buffer::borrow_to_send(memory, this);
}

void Operation::take_back(std::span<std::byte> memory) noexcept {
  OperationTable::Aftermath after;
  const core::LockGuard guard(table_.lock_);
  flags_.is_lent = false;
  table_.complete(*this);
  if (table_.messenger_ != nullptr) table_.messenger_->end_lending(memory.size());
  table_.retire_if_over(*this, after);
}

std::string Operation::describe_failure() const {
  return describe_fault(verb_, target_, access_, answer_.fault, answer_.region_bytes);
}

void Operation::throw_failure() const { throw RemoteMemoryError(describe_failure()); }

void Operation::let_go() {
  const bool is_over = is_done(Completion::remote);
  if (!is_over || (answer_.fault != AccessFault::none && !is_told_)) return let_go_early();
  answer_.message.reset();  // not under the lock: it may go back to a pool
  table_.retire(*this);
}

// Called if something is still to come, or to be reported.
void Operation::let_go_early() {
  core::Buffer message;
  OperationTable::Aftermath after;
  const core::LockGuard guard(table_.lock_);
  flags_.is_let_go = true;
  if (flags_.is_answered) {
    message = std::move(answer_.message);
    if (answer_.fault != AccessFault::none) table_.report_if_unheard(*this, after);
  }
  table_.retire_if_over(*this, after);
}

// --- the table of operations ---

OperationTable::OperationTable(Messenger& messenger) : messenger_(&messenger) {}

OperationTable::Handle OperationTable::create(Messenger& messenger) {
  Handle table(new OperationTable(messenger));
  messenger.engine().waits().add_source(table.get());
  return table;
}

OperationTable::~OperationTable() {
  while (free_ != nullptr) delete std::exchange(free_, free_->next_free_);
}

void OperationTable::Aftermath::clear() {
  if (dropped != nullptr) dropped->drop();
  if (messenger != nullptr) messenger->engine().report_error(failure);
  delete record;
  delete table;
}

// Not analysed: the lock is released while a record is made.
std::pair<Operation*, std::uint64_t> OperationTable::start(
    const char* verb, Rank target, const Access& access,
    std::uint8_t word_bytes) ROAM_NO_THREAD_SAFETY_ANALYSIS {
  std::unique_lock guard(lock_);
  if (free_ == nullptr) {
    guard.unlock();
    auto* const made = new Operation(*this);
    guard.lock();
    made->next_free_ = std::exchange(free_, made);
    ++free_count_;
  }
  Operation* const operation = free_;
  free_ = operation->next_free_;
  --free_count_;
  ++records_in_use_;
  operation->begin(verb, target, access, word_bytes);
  operation->token_ = operations_.add(operation);
  return {operation, operation->token_};
}

Operation* OperationTable::find(std::uint64_t token, Rank source) const {
  Operation* const operation = operations_.find(token);
  const bool is_awaited =
      operation != nullptr && operation->target_ == source && !operation->flags_.is_claimed;
  return is_awaited ? operation : nullptr;
}

core::Buffer OperationTable::landing_place(std::uint64_t token, Rank source, std::size_t bytes) {
  const core::LockGuard guard(lock_);
  Operation* const operation = find(token, source);
  if (operation == nullptr || operation->flags_.is_landing ||
      operation->destination.layout != nullptr || operation->destination.first == nullptr ||
      operation->destination.bytes != bytes) {
    return {};
  }
  operation->flags_.is_landing = true;
  return core::Buffer::borrow(std::span(operation->destination.first, bytes), nullptr);
}

// The operation for which an answer is expected; from now on no other answer is.
Operation& OperationTable::claim(std::uint64_t token, Rank source, const Answer& answer,
                                 const std::byte* landed_at) {
  Operation* const operation = find(token, source);
  const bool has_landed = landed_at != nullptr;
  if (operation == nullptr || operation->flags_.is_landing != has_landed ||
      (has_landed && landed_at != operation->destination.first))
    throw MalformedMessage("an answer to no remote operation");
  if (answer.fault == AccessFault::none && !has_landed) {
    const bool is_expected = operation->destination.first == nullptr ||
                             answer.message.size() - answer.offset == operation->destination.bytes;
    if (!is_expected || operation->word_bytes_ != 0)
      throw MalformedMessage("an answer of another size than was asked for");
  }
  operation->flags_.is_claimed = true;
  return *operation;
}

void OperationTable::finish(std::uint64_t token, Rank source, Answer&& answer,
                            const std::byte* landed_at) {
  Operation* operation = nullptr;
  {
    const core::LockGuard guard(lock_);
    operation = &claim(token, source, answer, landed_at);
  }
  Operation::Destination& to = operation->destination;
  if (answer.fault == AccessFault::none && landed_at == nullptr && to.first != nullptr) {
    const std::byte* data = answer.message.data() + answer.offset;
    if (to.layout != nullptr) {
      scatter(data, to.first, *to.layout);
    } else {
      std::memcpy(to.first, data, static_cast<std::size_t>(to.bytes));
    }
    answer.message.reset();
    answer.offset = 0;
  }
  to.layout.reset();
  Aftermath after;
  const core::LockGuard guard(lock_);
  operation->answer_.fault = answer.fault;
  operation->answer_.region_bytes = answer.region_bytes;
  operation->answer_.offset = answer.offset;
  if (!operation->flags_.is_let_go) operation->answer_.message = std::move(answer.message);
  settle(*operation, after);
}

void OperationTable::finish(std::uint64_t token, Rank source, const wire::Word& word) {
  Operation* operation = nullptr;
  {
    const core::LockGuard guard(lock_);
    operation = find(token, source);
    if (operation == nullptr || operation->word_bytes_ == 0)
      throw MalformedMessage("a word that answers no remote operation");
    operation->word_ = word;
    operation->flags_.is_claimed = true;
    operation->flags_.is_answered = true;
    complete(*operation);
    if (!operation->flags_.is_let_go) return;
  }
  retire(*operation);
}

// Called when the answer has come.
void OperationTable::settle(Operation& operation, Aftermath& after) {
  operation.flags_.is_answered = true;
  const bool has_failed = operation.answer_.fault != AccessFault::none;
  if (operation.then != nullptr) {
    exec::ReadyItem* const then = std::exchange(operation.then, nullptr);
    if (has_failed || messenger_ == nullptr) {
      after.dropped = then;
    } else {
      messenger_->engine().push(then);
    }
  }
  if (!operation.flags_.is_lent) complete(operation);
  if (has_failed && operation.flags_.is_let_go) report_if_unheard(operation, after);
  retire_if_over(operation, after);
}

void OperationTable::report_if_unheard(Operation& operation, Aftermath& after) {
  if (operation.is_told_ || messenger_ == nullptr) return;
  after.failure = operation.describe_failure();
  after.messenger = messenger_;
}

void OperationTable::retire_if_over(Operation& operation, Aftermath& after) {
  const Operation::Flags& flags = operation.flags_;
  if (flags.is_let_go && flags.is_answered && !flags.is_lent) put_back(operation, after);
}

void OperationTable::retire(Operation& operation) {
  {
    const core::LockGuard guard(lock_);
    if (messenger_ != nullptr && free_count_ < most_recycled) return recycle(operation);
  }
  Aftermath after;
  const core::LockGuard guard(lock_);
  put_back(operation, after);
}

void OperationTable::put_back(Operation& operation, Aftermath& after) {
  if (messenger_ != nullptr && free_count_ < most_recycled) return recycle(operation);
  --records_in_use_;
  after.record = &operation;
  if (messenger_ == nullptr && records_in_use_ == 0) after.table = this;
}

void OperationTable::for_each_wait(
    const std::function<void(const exec::WaitList::Entry&)>& visit) const {
  const core::LockGuard guard(lock_);
  operations_.for_each([&](const Operation& operation) {
    for (const OperationWait* wait : operation.waits_) {
      if (wait != nullptr) visit(*wait);
    }
  });
}

// Called when the rank ends: no answers come any more. Awaitables and buffers may still exist.
void OperationTable::disconnect() {
  std::vector<exec::ReadyItem*> dropped;
  bool is_last = false;
  {
    const core::LockGuard guard(lock_);
    messenger_->engine().waits().remove_source(this);
    messenger_ = nullptr;
    for (Operation* operation : operations_.take_all()) {
      if (operation->then != nullptr) dropped.push_back(std::exchange(operation->then, nullptr));
      operation->flags_.is_claimed = true;
      operation->flags_.is_answered = true;
      if (!operation->flags_.is_let_go || operation->flags_.is_lent) continue;
      recycle(*operation);
    }
    is_last = records_in_use_ == 0;
  }
  for (exec::ReadyItem* item : dropped) item->drop();
  if (is_last) delete this;
}

}  // namespace roam::am
