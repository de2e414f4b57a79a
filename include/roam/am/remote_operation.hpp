// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "roam/am/remote_access.hpp"
#include "roam/am/remote_layout.hpp"
#include "roam/core/buffer.hpp"
#include "roam/core/slot_table.hpp"
#include "roam/core/spin_lock.hpp"
#include "roam/exec/suspension.hpp"

namespace roam::am {

class Messenger;
class Operation;
class OperationTable;

/// What an operation waits for: its memory here may be used again, or all of it is over.
enum class Completion : std::uint8_t { local, remote };

/// A coroutine that awaits an operation; part of its frame.
class OperationWait final : public exec::Suspension, public exec::WaitList::Entry {
 public:
  OperationWait(Operation& operation, Completion completion)
      : operation_(operation), completion_(completion) {}
  ~OperationWait();
  /// False if there is nothing to wait for.
  [[nodiscard]] bool wait(std::coroutine_handle<> handle);
  [[nodiscard]] std::string waits_for() const override;
  [[nodiscard]] std::string who() const override;

 private:
  friend class OperationTable;
  Operation& operation_;
  const Completion completion_;
  bool has_waited_ = false;  // the coroutine's own
  bool is_waiting_ = false;  // under the table's lock
};

/// What the answer to an operation says.
struct Answer {
  AccessFault fault = AccessFault::none;
  std::uint64_t region_bytes = 0;
  core::Buffer message;    // holds the value
  std::size_t offset = 0;  // from here on
};

/// One remote operation under way, at the rank that asked for it. Shared by the awaitable, the
/// table (until the answer) and the buffer that sends from the caller's memory.
class Operation final : private core::Lender {
 public:
  /// Where the data of a get goes, in the caller's memory.
  struct Destination {
    std::byte* first = nullptr;
    std::uint64_t bytes = 0;
    std::unique_ptr<Layout> layout;  // without: in a row
  };

  Operation(std::shared_ptr<OperationTable> table, const char* verb, Rank target,
            const Access& access)
      : table_(std::move(table)), verb_(verb), target_(target), access_(access) {}
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  [[nodiscard]] Rank target() const { return target_; }
  [[nodiscard]] const char* verb() const { return verb_; }
  /// A buffer to send the caller's memory by; local completion is its end.
  [[nodiscard]] core::Buffer lend(std::span<const std::byte> memory);
  /// Before the request is sent:
  Destination destination;
  /// Pushed once the data has arrived (get_op); dropped if it does not. Owned.
  exec::ReadyItem* then = nullptr;

  [[nodiscard]] bool is_done(Completion completion) const;
  /// After remote completion: throws what the target said, or gives the value's bytes.
  [[nodiscard]] std::span<const std::byte> value();
  /// The awaitable is gone: a failure it has not told is reported to the job.
  void let_go();
  void release();

 private:
  friend class OperationTable;
  friend class OperationWait;
  ~Operation();
  void take_back(std::span<std::byte> memory) noexcept override;
  [[nodiscard]] std::string describe_failure() const;

  const std::shared_ptr<OperationTable> table_;
  const char* const verb_;  // static storage
  const Rank target_;
  const Access access_;
  std::atomic<std::uint32_t> references_{2};  // the awaitable's and the table's
  // Under the table's lock; the answer is constant once `answered_`:
  Answer answer_;
  std::array<OperationWait*, 2> waits_{};  // by Completion
  bool answered_ = false;
  bool lent_ = false;     // a buffer has the caller's memory
  bool landing_ = false;  // bulk data is on its way into the destination
  bool told_ = false;     // value() has been called, or nobody is left to tell
  bool let_go_ = false;
};

/// The operations of one rank that are under way, by token: stale or forged ones find nothing.
/// Thread-safe; outlives its rank while buffers are on the wire.
class OperationTable : public std::enable_shared_from_this<OperationTable> {
 public:
  explicit OperationTable(Messenger& messenger) : messenger_(&messenger) {}
  OperationTable(const OperationTable&) = delete;
  OperationTable& operator=(const OperationTable&) = delete;

  /// The result carries a reference for the caller.
  [[nodiscard]] std::pair<Operation*, std::uint64_t> start(const char* verb, Rank target,
                                                           const Access& access);
  /// Takes it out again, before its request was sent.
  void withdraw(std::uint64_t token);
  /// Where bulk data from `source` for an operation is to land; empty if it is not expected. Once
  /// for each operation.
  [[nodiscard]] core::Buffer landing_place(std::uint64_t token, Rank source, std::size_t bytes);
  /// The answer from `source`: copies the data of a get to its destination, resumes who waits.
  /// Inside progress. `landed_at`: where bulk data has come to lie, if there was any. Throws
  /// MalformedMessage if no such answer is due.
  void finish(std::uint64_t token, Rank source, Answer&& answer, const std::byte* landed_at);
  /// The rank ends: nobody waits any more.
  void disconnect();

 private:
  friend class Operation;
  friend class OperationWait;
  [[nodiscard]] Operation* find(std::uint64_t token, Rank source) const;  // under lock_
  void resume(Operation& operation, Completion completion);               // under lock_

  mutable core::SpinLock lock_;
  Messenger* messenger_;                   // under lock_; nullptr once the rank has ended
  core::SlotTable<Operation> operations_;  // under lock_
};

/// A remote operation under way; co_await gives its result. Await it at most once, from a coroutine
/// of the rank that asked. May be dropped: a failure then goes to the job's error handler. Throws
/// RemoteMemoryError if the target refuses the access (A4).
template <class R = void>
class [[nodiscard]] RemoteResult {
 public:
  explicit RemoteResult(Operation* operation) : operation_(operation) {}
  RemoteResult(RemoteResult&& other) noexcept
      : operation_(std::exchange(other.operation_, nullptr)) {}
  RemoteResult& operator=(RemoteResult&& other) noexcept {
    std::swap(operation_, other.operation_);
    return *this;
  }
  ~RemoteResult() {
    if (operation_ != nullptr) operation_->let_go();
  }
  [[nodiscard]] bool is_ready() const { return operation_->is_done(Completion::remote); }
  auto operator co_await() { return Awaiter(*operation_); }

 protected:
  struct Awaiter {
    Operation& operation;
    OperationWait waiter;
    explicit Awaiter(Operation& o) : operation(o), waiter(o, Completion::remote) {}
    [[nodiscard]] bool await_ready() const { return operation.is_done(Completion::remote); }
    bool await_suspend(std::coroutine_handle<> handle) { return waiter.wait(handle); }
    R await_resume() {
      const std::span<const std::byte> bytes = operation.value();
      if constexpr (!std::is_void_v<R>) {
        std::array<std::byte, sizeof(R)> copy{};
        if (bytes.size() != sizeof(R))
          throw MalformedMessage("the answer to a remote operation has another size than its type");
        std::copy(bytes.begin(), bytes.end(), copy.begin());
        return std::bit_cast<R>(copy);
      }
    }
  };
  Operation* operation_;
};

/// A put under way: co_await is its remote completion - the data is visible at the target (A5), and
/// the source may be used again.
class [[nodiscard]] Put : public RemoteResult<void> {
 public:
  using RemoteResult<void>::RemoteResult;
  /// Awaitable: until the source may be changed or freed.
  [[nodiscard]] auto local() { return LocalAwaiter(*operation_); }
  [[nodiscard]] bool is_local() const { return operation_->is_done(Completion::local); }

 private:
  struct LocalAwaiter {
    Operation& operation;
    OperationWait waiter;
    explicit LocalAwaiter(Operation& o) : operation(o), waiter(o, Completion::local) {}
    [[nodiscard]] bool await_ready() const { return operation.is_done(Completion::local); }
    bool await_suspend(std::coroutine_handle<> handle) { return waiter.wait(handle); }
    void await_resume() const noexcept {}
  };
};

}  // namespace roam::am
