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

/// What an operation waits for: its memory here may be used again, or all of it is over.
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
  /// The coroutine goes on.
  void end() { has_waited_ = false; }
  [[nodiscard]] std::string waits_for() const override;
  [[nodiscard]] std::string who() const override;

 private:
  friend class OperationTable;
  void leave();

  Operation& operation_;
  const Completion completion_;
  bool has_waited_ = false;  // the coroutine's own: and has not gone on
  bool is_waiting_ = false;  // under the table's lock
};

/// What the answer to an operation says.
struct Answer {
  AccessFault fault = AccessFault::none;
  std::uint64_t region_bytes = 0;
  core::Buffer message;    // holds the value
  std::size_t offset = 0;  // from here on
};

/// One remote operation under way, at the rank that asked for it: a record of its table's, until
/// the awaitable is gone, the answer has come and no buffer sends from the caller's memory any
/// more.
class Operation final : private core::Lender {
 public:
  /// Where the data of a get goes, in the caller's memory.
  struct Destination {
    std::byte* first = nullptr;
    std::uint64_t bytes = 0;
    core::Owned<Layout> layout;  // without: in a row
  };

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

  [[nodiscard]] bool is_done(Completion completion) const {
    return (done_.load(std::memory_order_acquire) & bit(completion)) != 0;
  }
  /// After remote completion: throws what the target said, or gives the value's bytes.
  [[nodiscard]] std::span<const std::byte> value() {
    is_told_ = true;
    if (answer_.fault != AccessFault::none) throw_failure();
    if (word_bytes_ != 0) return std::span(word_).first(word_bytes_);
    return answer_.message.bytes().subspan(answer_.offset);
  }
  /// The awaitable is gone: a failure it has not told is reported to the job.
  void let_go();

 private:
  friend class OperationTable;
  friend class OperationWait;
  /// What has happened so far.
  struct Flags {
    bool is_claimed = false;   // an answer, or bulk data announced, is being taken
    bool is_answered = false;  // the answer is constant from here on
    bool is_landing = false;   // bulk data is on its way into the destination
    bool is_lent = false;      // a buffer has the caller's memory
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
  std::uint8_t word_bytes_ = 0;        // of the value, if it comes as a word
  std::atomic<std::uint8_t> done_{0};  // bits by Completion; written under the table's lock
  bool is_told_ = false;               // the awaitable's own: value() has been called
  // Under the table's lock:
  Flags flags_;
  wire::Word word_{};
  std::array<OperationWait*, 2> waits_{};  // by Completion
  Operation* next_free_ = nullptr;
  std::uint64_t token_ = 0;
  Access access_;
  Answer answer_;
};

/// The operations of one rank that are under way, by token: stale or forged ones find nothing.
/// Keeps their records for reuse. Thread-safe, one short lock for each step of an operation: its
/// begin, the wait, the answer, its end. Outlives its rank while buffers are on the wire.
class OperationTable final : private exec::WaitList::Source {
 public:
  struct Release {
    void operator()(OperationTable* table) const { table->disconnect(); }
  };
  using Handle = core::Owned<OperationTable, Release>;
  /// Nobody waits any more when the handle goes. Outside the engine's steps, as its end.
  [[nodiscard]] static Handle create(Messenger& messenger);
  OperationTable(const OperationTable&) = delete;
  OperationTable& operator=(const OperationTable&) = delete;

  /// The record lives until let_go() at least. `word_bytes`: the answer is a word of so many bytes.
  [[nodiscard]] std::pair<Operation*, std::uint64_t> start(const char* verb, Rank target,
                                                           const Access& access,
                                                           std::uint8_t word_bytes = 0);
  /// Where bulk data from `source` for an operation is to land; empty if it is not expected. Once
  /// for each operation.
  [[nodiscard]] core::Buffer landing_place(std::uint64_t token, Rank source, std::size_t bytes);
  /// The answer from `source`: copies the data of a get to its destination, resumes who waits.
  /// Inside progress. `landed_at`: where bulk data has come to lie, if there was any. Throws
  /// MalformedMessage if no such answer is due.
  void finish(std::uint64_t token, Rank source, Answer&& answer, const std::byte* landed_at);
  /// The same with a word.
  void finish(std::uint64_t token, Rank source, const wire::Word& word);

 private:
  friend class Operation;
  friend class OperationWait;
  /// What is left to do when the lock has been given back.
  struct Aftermath {
    Operation* record = nullptr;         // one too many to be kept
    OperationTable* table = nullptr;     // the last record has come back
    exec::ReadyItem* dropped = nullptr;  // what was to run on data that has not come
    Messenger* messenger = nullptr;      // to be told of a failure
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

  explicit OperationTable(Messenger& messenger) : messenger_(&messenger) {}
  ~OperationTable() override;
  void disconnect();
  void for_each_wait(const std::function<void(const exec::WaitList::Entry&)>& visit) const override;
  /// The record is nobody's any more.
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
/// of the rank that asked. May be dropped: a failure then goes to the job's error handler. Throws
/// RemoteMemoryError if the target refuses the access (A4).
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
  /// True if co_await would not wait.
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

/// A put under way: co_await is its remote completion - the data is visible at the target (A5), and
/// the source may be used again.
class [[nodiscard]] Put : public RemoteResult<void> {
 public:
  using RemoteResult<void>::RemoteResult;
  /// Awaitable: until the source may be changed or freed.
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
