// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "roam/am/detail/remote_wire.hpp"
#include "roam/am/remote_access.hpp"
#include "roam/am/remote_layout.hpp"
#include "roam/core/detail/buffer.hpp"
#include "roam/core/detail/owned.hpp"
#include "roam/core/detail/slot_table.hpp"
#include "roam/core/detail/spin_lock.hpp"
#include "roam/exec/detail/suspension.hpp"

namespace roam::am {

/// @cond
class Messenger;
class Operation;
class OperationTable;
/// @endcond

/// The event that is awaited: the memory here may be used again, or the whole operation is over.
enum class Completion : std::uint8_t { local, remote };

/// @cond
/// A coroutine that awaits an operation; part of its frame.
class OperationWait final : public exec::Suspension, public exec::WaitList::Entry {
 public:
  OperationWait(Operation& operation, Completion completion)
      : operation_(operation), completion_(completion) {}
  OperationWait(const OperationWait&) = delete;
  OperationWait& operator=(const OperationWait&) = delete;
  ~OperationWait() override {
    if (has_waited_) leave();
  }
  /// False if there is nothing to wait for.
  [[nodiscard]] bool wait(std::coroutine_handle<> handle);
  /// Called when the coroutine goes on.
  void end() { has_waited_ = false; }
  [[nodiscard]] std::string waits_for() const override;
  [[nodiscard]] std::string who() const override;

 private:
  friend class OperationTable;
  void leave();

  Operation& operation_;
  const Completion completion_;
  bool has_waited_ = false;  // used by the coroutine alone: it has waited, and has not gone on
  bool is_waiting_ = false;  // under the table's lock
};

/// What the answer to an operation says.
struct Answer {
  AccessFault fault = AccessFault::none;
  std::uint64_t region_bytes = 0;
  core::Buffer message;    // contains the value
  std::size_t offset = 0;  // where the value begins
};

/// One remote operation under way, at the rank that asked for it. It is a record of its table until
/// the awaitable is gone, the answer has come and no buffer sends from the caller's memory any
/// more.
class Operation final : private core::Lender {
 public:
  /// The place in the caller's memory to which the data of a get is copied.
  struct Destination {
    std::byte* first = nullptr;
    std::uint64_t bytes = 0;
    core::Owned<Layout> layout;  // empty: the elements are consecutive
  };

  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  [[nodiscard]] Rank target() const { return target_; }
  [[nodiscard]] const char* verb() const { return verb_; }
  /// A buffer to send the caller's memory from; local completion is the buffer's end.
  [[nodiscard]] core::Buffer lend(std::span<const std::byte> memory);
  /// To be set before the request is sent:
  Destination destination;
  /// Pushed once the data has arrived (get_op), dropped if the data does not come. Owned.
  exec::ReadyItem* then = nullptr;

  [[nodiscard]] bool is_done(Completion completion) const {
    return (done_.load(std::memory_order_acquire) & bit(completion)) != 0;
  }
  /// After remote completion: throws the failure that the target reported, or returns the bytes of
  /// the value.
  [[nodiscard]] std::span<const std::byte> value() {
    is_told_ = true;
    if (answer_.fault != AccessFault::none) throw_failure();
    if (word_bytes_ != 0) return {word_.data(), word_bytes_};
    return answer_.message.bytes().subspan(answer_.offset);
  }
  /// Called when the awaitable is gone: a failure that it has not thrown is reported to the job.
  void let_go();

 private:
  friend class OperationTable;
  friend class OperationWait;
  /// What has happened so far.
  struct Flags {
    bool is_claimed = false;   // an answer, or announced bulk data, is being processed
    bool is_answered = false;  // the answer is constant from here on
    bool is_landing = false;   // bulk data is being received into the destination
    bool is_lent = false;      // a buffer refers to the caller's memory
    bool is_let_go = false;    // the awaitable is gone
  };
  explicit Operation(OperationTable& table) : table_(table) {}
  ~Operation() = default;
  [[nodiscard]] static constexpr std::uint8_t bit(Completion completion) {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(completion));
  }
  void begin(const char* verb, Rank target, const Access& access, std::uint8_t word_bytes);
  void take_back(std::span<std::byte> memory) noexcept override;
  void let_go_early();
  [[noreturn]] void throw_failure() const;
  [[nodiscard]] std::string describe_failure() const;

  OperationTable& table_;
  const char* verb_ = nullptr;  // static storage
  Rank target_;
  std::uint8_t word_bytes_ = 0;        // the size of the value, if it comes as a word
  std::atomic<std::uint8_t> done_{0};  // bits of Completion; written under the table's lock
  bool is_told_ = false;               // used by the awaitable alone: value() has been called
  // Under the table's lock:
  Flags flags_;
  wire::Word word_{};
  std::array<OperationWait*, 2> waits_{};  // indexed by Completion
  Operation* next_free_ = nullptr;
  std::uint64_t token_ = 0;
  Access access_;
  Answer answer_;
};

/// The operations of one rank that are under way, found by token: old or forged tokens find
/// nothing. Records are reused. Thread-safe, with one short lock for each step of an operation: its
/// begin, the wait, the answer, its end. Outlives its rank while a transport holds buffers of it.
class OperationTable final : private exec::WaitList::Source {
 public:
  struct Release {
    void operator()(OperationTable* table) const { table->disconnect(); }
  };
  using Handle = core::Owned<OperationTable, Release>;
  /// Makes a table. When the handle is destroyed, nobody may be waiting any more. Make and destroy
  /// it outside of the engine's steps.
  [[nodiscard]] static Handle create(Messenger& messenger);
  OperationTable(const OperationTable&) = delete;
  OperationTable& operator=(const OperationTable&) = delete;

  /// Begins an operation; its record exists at least until let_go(). `word_bytes` is not 0 if the
  /// answer is a word, of that size.
  [[nodiscard]] std::pair<Operation*, std::uint64_t> start(const char* verb, Rank target,
                                                           const Access& access,
                                                           std::uint8_t word_bytes = 0);
  /// A buffer for bulk data from `source` that belongs to an operation; empty if such data is not
  /// expected. Called once for each operation.
  [[nodiscard]] core::Buffer landing_place(std::uint64_t token, Rank source, std::size_t bytes);
  /// Processes the answer from `source`: copies the data of a get to its destination and resumes
  /// the coroutines that wait. Inside progress. `landed_at` is where bulk data has been received,
  /// if there was any. Throws MalformedMessage if no such answer is expected.
  void finish(std::uint64_t token, Rank source, Answer&& answer, const std::byte* landed_at);
  /// Processes an answer that is a word. Throws likewise.
  void finish(std::uint64_t token, Rank source, const wire::Word& word);

 private:
  friend class Operation;
  friend class OperationWait;
  /// What is left to do after the lock has been released.
  struct Aftermath {
    Operation* record = nullptr;         // to be deleted: there are enough for reuse
    OperationTable* table = nullptr;     // to be deleted: its last record has come back
    exec::ReadyItem* dropped = nullptr;  // the item that was to run on data that has not come
    Messenger* messenger = nullptr;      // the one to which a failure is reported
    std::string failure;
    Aftermath() = default;
    Aftermath(const Aftermath&) = delete;
    Aftermath& operator=(const Aftermath&) = delete;
    ~Aftermath() {
      if (record != nullptr || table != nullptr || dropped != nullptr || messenger != nullptr)
        clear();
    }
    void clear();
  };
  static constexpr std::size_t most_recycled = 4096;

  explicit OperationTable(Messenger& messenger);
  ~OperationTable() override;
  void disconnect();
  void for_each_wait(const std::function<void(const exec::WaitList::Entry&)>& visit) const override;
  /// Called when nobody uses the record any more.
  void retire(Operation& operation);
  [[nodiscard]] Operation* find(std::uint64_t token, Rank source) const ROAM_REQUIRES(lock_);
  [[nodiscard]] Operation& claim(std::uint64_t token, Rank source, const Answer& answer,
                                 const std::byte* landed_at) ROAM_REQUIRES(lock_);
  void settle(Operation& operation, Aftermath& after) ROAM_REQUIRES(lock_);
  void report_if_unheard(Operation& operation, Aftermath& after) ROAM_REQUIRES(lock_);
  void complete(Operation& operation) ROAM_REQUIRES(lock_);
  void resume(Operation& operation, Completion completion) ROAM_REQUIRES(lock_);
  void retire_if_over(Operation& operation, Aftermath& after) ROAM_REQUIRES(lock_);
  void recycle(Operation& operation) ROAM_REQUIRES(lock_);
  void put_back(Operation& operation, Aftermath& after) ROAM_REQUIRES(lock_);

  mutable core::SpinLock lock_;
  Messenger* messenger_ ROAM_GUARDED_BY(lock_);  // nullptr once the rank has ended
  core::SlotTable<Operation> operations_ ROAM_GUARDED_BY(lock_);
  Operation* free_ ROAM_GUARDED_BY(lock_) = nullptr;
  std::size_t free_count_ ROAM_GUARDED_BY(lock_) = 0;
  std::size_t records_in_use_ ROAM_GUARDED_BY(lock_) = 0;
};
/// @endcond

/// A remote operation under way; co_await gives its result. Await it at most once, from a coroutine
/// of the rank that asked. It may be dropped: a failure then goes to the job's error handler.
/// Awaiting throws RemoteMemoryError if the target refuses the access (A4).
template <class R = void>
class [[nodiscard]] RemoteResult {
 public:
  /// @cond
  explicit RemoteResult(Operation* operation) : operation_(operation) {}
  /// @endcond
  RemoteResult(RemoteResult&& other) noexcept
      : operation_(std::exchange(other.operation_, nullptr)) {}
  RemoteResult& operator=(RemoteResult&& other) noexcept {
    std::swap(operation_, other.operation_);
    return *this;
  }
  ~RemoteResult() {
    if (operation_ != nullptr) operation_->let_go();
  }
  /// True if co_await would not suspend.
  [[nodiscard]] bool is_ready() const { return operation_->is_done(Completion::remote); }
  auto operator co_await() { return Awaiter(*operation_); }

 protected:
  /// @cond
  struct Awaiter {
    Operation& operation;
    OperationWait waiter;
    explicit Awaiter(Operation& o) : operation(o), waiter(o, Completion::remote) {}
    [[nodiscard]] bool await_ready() const { return operation.is_done(Completion::remote); }
    bool await_suspend(std::coroutine_handle<> handle) { return waiter.wait(handle); }
    R await_resume() {
      waiter.end();
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
  /// @endcond
};

/// A put under way. co_await waits for its remote completion: the data is visible at the target
/// (A5), and the source may be used again.
class [[nodiscard]] Put : public RemoteResult<void> {
 public:
  using RemoteResult<void>::RemoteResult;
  /// Awaitable that waits until the source may be changed or freed.
  [[nodiscard]] auto local() { return LocalAwaiter(*operation_); }
  /// True if the source may be changed or freed.
  [[nodiscard]] bool is_local() const { return operation_->is_done(Completion::local); }

 private:
  struct LocalAwaiter {
    Operation& operation;
    OperationWait waiter;
    explicit LocalAwaiter(Operation& o) : operation(o), waiter(o, Completion::local) {}
    [[nodiscard]] bool await_ready() const { return operation.is_done(Completion::local); }
    bool await_suspend(std::coroutine_handle<> handle) { return waiter.wait(handle); }
    void await_resume() noexcept { waiter.end(); }
  };
};

}  // namespace roam::am
