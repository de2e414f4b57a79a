// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "roam/am/detail/system_message.hpp"
#include "roam/core/detail/buffer.hpp"
#include "roam/core/detail/parameters.hpp"
#include "roam/core/detail/slot_table.hpp"
#include "roam/core/detail/spin_lock.hpp"
#include "roam/core/error.hpp"
#include "roam/core/serialise.hpp"
#include "roam/core/types.hpp"
#include "roam/exec/detail/spare_blocks.hpp"
#include "roam/exec/detail/suspension.hpp"
#include "roam/exec/engine.hpp"

namespace roam::am {

/// @cond
/// How a request ended.
enum class ReplyStatus : std::uint8_t {
  value,
  handler_failed,
  object_gone,
  aborted,
  cancelled,
  deadline_exceeded
};

/// Thrown by a handler of Roam's own to answer its caller with this status.
class AnswerFailure : public Error {
 public:
  AnswerFailure(ReplyStatus status, const std::string& text) : Error(text), status_(status) {}
  [[nodiscard]] ReplyStatus status() const { return status_; }

 private:
  ReplyStatus status_;
};

/// Where the answer to a request is sent. Travels with the request; a default one means that nobody
/// waits.
struct ReplyTo {
  Rank rank;
  std::uint64_t token = 0;
  [[nodiscard]] explicit operator bool() const { return token != 0; }
};

/// The head of the answer to a request. The values follow or, if it failed, a text.
struct ReplyHead {
  static constexpr MessageKind kind{"roam.reply", Counted::yes, Behind::bytes_and_array};
  std::uint64_t token = 0;
  ReplyStatus status = ReplyStatus::value;
  static constexpr auto fields(auto& m) { return std::tie(m.token, m.status); }
};

/// The outcome of a request: the bytes of the value, from `offset` of the buffer on, or the text of
/// the failure.
struct ReplyContents {
  ReplyStatus status = ReplyStatus::value;
  core::Buffer buffer = {};
  std::size_t offset = 0;
  std::string text = {};
  core::Attachment attachment = {};
};

/// The requesting side's state of one request, shared by the Reply (which awaits) and the reply
/// table (which receives). Whether a coroutine waits and whether the answer has come changes under
/// the lock of the engine's list of waits, so that waiting takes that lock once and answering takes
/// it once.
class PendingReply : public exec::WaitList::Entry {
 public:
  PendingReply(exec::Engine& engine, const char* label, ObjectId subject)
      : engine_(engine), waits_(engine.waits()), label_(label), subject_(subject) {}
  PendingReply(const PendingReply&) = delete;
  PendingReply& operator=(const PendingReply&) = delete;
  ~PendingReply() override = default;
  static void* operator new(std::size_t bytes) { return exec::SpareBlocks::take(bytes); }
  static void operator delete(void* place, std::size_t bytes) noexcept {
    exec::SpareBlocks::give_back(place, bytes);
  }
  /// For derived classes whose members ask for more than the usual alignment.
  static void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return ::operator new(bytes, alignment);
  }
  static void operator delete(void* place, std::align_val_t alignment) noexcept {
    ::operator delete(place, alignment);
  }

  [[nodiscard]] bool is_done() const {
    return phase_.load(std::memory_order_acquire) == Phase::done;
  }
  [[nodiscard]] ObjectId subject() const { return subject_; }
  [[nodiscard]] exec::Engine& engine() const { return engine_; }
  /// Set once, before any other thread knows of the request.
  void set_token(std::uint64_t token) { token_ = token; }
  [[nodiscard]] std::uint64_t token() const { return token_; }
  /// False if the answer has come and the caller must not suspend. The suspension must have been
  /// captured.
  [[nodiscard]] bool wait(exec::Suspension* waiter);
  /// Called by the coroutine that waits: true if the suspension will not be touched any more, false
  /// if it has been resumed or is about to be.
  [[nodiscard]] bool stop_waiting();
  /// Called from any thread. Only the first call has an effect, but each drops a reference.
  void complete(ReplyContents&& contents);
  /// Returns the bytes of the value, or throws what the status says. Requires is_done().
  [[nodiscard]] core::Unpacker open();
  void add_reference() { references_.fetch_add(1, std::memory_order_relaxed); }
  void release();
  /// Called in place of release() by a Reply that is dropped. A failure that has not been thrown
  /// goes to the job's error handler, unless the Reply is dropped because of another exception.
  void drop();
  /// While a coroutine waits, and waits are measured (WaitList::measure()): the idle time of the
  /// rank's workers until it began to wait. Otherwise nullopt.
  [[nodiscard]] std::optional<Duration> idle_before() const ROAM_REQUIRES(waits_.lock());
  /// Called by the asking side if it does not care about a failure.
  void ignore() { is_seen_.store(true, std::memory_order_relaxed); }

  [[nodiscard]] std::string waits_for() const override;
  [[nodiscard]] std::string who() const override;
  [[nodiscard]] Details details() const override;

 private:
  friend class ReplyTable;
  enum class Phase : std::uint8_t { empty, waiting, done };
  /// Stores the answer if it is the first. Returns the suspension that waits, to be resumed once
  /// the lock is released.
  [[nodiscard]] exec::Suspension* settle(ReplyContents&& contents) ROAM_REQUIRES(waits_.lock());

  exec::Engine& engine_;
  exec::WaitList& waits_;
  const char* label_;  // the handler that was asked for
  ObjectId subject_;   // the object that was asked, if any
  std::uint64_t token_ = 0;
  std::atomic<std::uint32_t> references_{2};
  std::atomic<bool> is_seen_{false};        // a failure has been thrown, or may be ignored
  std::atomic<Phase> phase_{Phase::empty};  // written under the lock
  exec::Suspension* waiter_ ROAM_GUARDED_BY(waits_.lock()) = nullptr;
  Duration idle_before_ ROAM_GUARDED_BY(waits_.lock()){0};
  ReplyContents contents_;  // written before phase_ is `done`, constant from then on
};
/// @endcond

/// Cancels one request; see Reply::cancel().
class Canceller {
 public:
  /// @cond
  Canceller(exec::Engine& engine, std::uint64_t token) : engine_(&engine), token_(token) {}
  /// @endcond
  /// Ends the waiting for the request, as Reply::cancel() does; no effect once the answer has come.
  void cancel() const;

 private:
  exec::Engine* engine_;
  std::uint64_t token_;
};

/// The future answer to a request. Await it at most once, from a coroutine of the rank that asked.
/// It may be dropped: a value is then ignored, and a failure (the handler threw, or the object does
/// not exist) goes to the job's error handler, as that of a send does; see ignore(). Awaiting
/// throws roam::RemoteError if the handler threw, roam::ObjectGone if the object does not exist,
/// roam::JobAborted if the job stops, roam::Cancelled after cancel() and roam::DeadlineExceeded
/// after the deadline of the call.
template <class R>
class [[nodiscard]] Reply {
 public:
  /// @cond
  explicit Reply(PendingReply* state) : state_(state) {}
  /// @endcond
  Reply(Reply&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  Reply& operator=(Reply&& other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  Reply(const Reply&) = delete;
  Reply& operator=(const Reply&) = delete;
  ~Reply() {
    if (state_ != nullptr) state_->drop();
  }

  /// True if the answer or the failure has come: co_await would not suspend.
  [[nodiscard]] bool is_ready() const { return state_->is_done(); }
  /// Ends the waiting: a coroutine that awaits it gets roam::Cancelled. The handler is not run if
  /// it can still be stopped, as a call that waits in its object's inbox can; otherwise it runs and
  /// its answer is ignored. No effect once the answer has come. Callable in any handler or main
  /// program of this rank.
  void cancel() { canceller().cancel(); }
  /// Called before a Reply is dropped: a failure of the request is then not reported to the job.
  void ignore() { state_->ignore(); }
  /// An object that can cancel the request; it may be copied and outlive the Reply.
  [[nodiscard]] Canceller canceller() const { return {state_->engine(), state_->token()}; }
  /// @cond
  /// For rooms above, whose awaiters do more than this one.
  [[nodiscard]] PendingReply& pending() const { return *state_; }
  [[nodiscard]] static R take(PendingReply& state) {
    core::Unpacker bytes = state.open();
    if constexpr (!std::is_void_v<R>) {
      return read<R>(bytes);
    }
  }
  /// @endcond

  auto operator co_await() { return Awaiter(state_); }

 private:
  // A template, so that a void result needs no instance of it.
  template <class V>
  [[nodiscard]] static V read(core::Unpacker& bytes) {
    if constexpr (!core::ArrayParameter<V> && !core::detail::is_known_to_decode<V>) {
      return core::unpack_all<V>(bytes);
    } else if constexpr (!std::is_default_constructible_v<V>) {
      return core::unpack<V>(bytes);  // the compiler has already refused the code that answers
    } else {
      V value{};
      core::unpack_parameter<V>(bytes, value);
      if (bytes.has_attachment()) throw MalformedMessage("the answer has an array too many");
      return value;
    }
  }
  struct Waiter final : exec::Suspension {};
  struct Awaiter {
    PendingReply* state;
    Waiter waiter;
    explicit Awaiter(PendingReply* s) : state(s) {}
    [[nodiscard]] bool await_ready() const { return state->is_done(); }
    bool await_suspend(std::coroutine_handle<> handle) {
      waiter.capture(handle);
      return state->wait(&waiter);
    }
    R await_resume() { return take(*state); }
  };
  PendingReply* state_;
};

/// @cond
/// The requests of one rank that await answers, found by token: old or forged tokens from the wire
/// find nothing. Thread-safe.
class ReplyTable {
 public:
  explicit ReplyTable(exec::WaitList& waits);
  /// Adds a request. The table holds one reference until the answer comes.
  [[nodiscard]] std::uint64_t add(PendingReply* reply);
  /// Removes the request, and completes it. False if the token is not (or no longer) known.
  // Not analysed: the lock is also that of the request, which the analysis cannot know.
  [[nodiscard]] bool complete(std::uint64_t token,
                              ReplyContents&& contents) ROAM_NO_THREAD_SAFETY_ANALYSIS;
  /// Completes the request with this status, but leaves it in the table, because its late answer is
  /// still expected. The text of the failure names what was waited for, followed by `why`. Returns
  /// the object that was asked, if there was one. No effect if the answer has come or the token is
  /// not known.
  ObjectId give_up(std::uint64_t token, ReplyStatus status,
                   const char* why) ROAM_NO_THREAD_SAFETY_ANALYSIS;
  /// PendingReply::idle_before() of the request; nullopt if the token is not (or no longer) known.
  [[nodiscard]] std::optional<Duration> idle_before(std::uint64_t token) const
      ROAM_NO_THREAD_SAFETY_ANALYSIS;
  /// Completes all requests with `aborted` and the given reason.
  void abort_all(const std::string& reason);
  ReplyTable(const ReplyTable&) = delete;
  ReplyTable& operator=(const ReplyTable&) = delete;
  ~ReplyTable();

 private:
  [[nodiscard]] std::vector<PendingReply*> take_all();

  exec::WaitList& waits_;
  core::SlotTable<PendingReply> pending_ ROAM_GUARDED_BY(waits_.lock());
};
/// @endcond

}  // namespace roam::am

namespace roam {
using am::Canceller;
using am::Reply;
}  // namespace roam
