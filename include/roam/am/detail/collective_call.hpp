// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <coroutine>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "roam/am/detail/handler_table.hpp"
#include "roam/core/detail/owned.hpp"
#include "roam/core/serialise.hpp"
#include "roam/core/types.hpp"
#include "roam/exec/detail/suspension.hpp"

namespace roam::am {

class Collectives;

enum class CollectiveKind : std::uint8_t {
  barrier,
  broadcast,
  reduce,
  allreduce,
  gather,
  allgather
};

/// The types in a collective call, "of int by std::plus<void>". They are linked into a list of all
/// of them during static initialisation, so that a message needs to carry only their hash.
class CollectiveTypes {
 public:
  /// The names of the types of values and of the operator, empty if there are none. `called` is the
  /// program's call that has such values sent, "phase()"; empty if it is the collective itself. All
  /// texts are static.
  CollectiveTypes(const core::ProgramName& value, const core::ProgramName& operation,
                  std::string_view called);
  CollectiveTypes(const CollectiveTypes&) = delete;
  CollectiveTypes& operator=(const CollectiveTypes&) = delete;
  [[nodiscard]] static constexpr std::uint32_t id_of(std::string_view value,
                                                     std::string_view operation) {
    return handler_id(value) ^ std::uint32_t{31} * handler_id(operation);
  }
  [[nodiscard]] std::uint32_t id() const { return id_; }
  [[nodiscard]] std::string describe() const;
  /// The types with this hash; nullptr if this program has no such call.
  [[nodiscard]] static const CollectiveTypes* find(std::uint32_t id);

 private:
  core::ProgramName value_;
  core::ProgramName operation_;
  std::string_view called_;
  std::uint32_t id_;
  const CollectiveTypes* next_;
};

/// The properties of a collective call that must be the same on all ranks.
struct CollectiveKey {
  CollectiveKind kind = CollectiveKind::barrier;
  Rank root = 0;  ///< 0 where there is none
  std::uint32_t types = 0;
  friend bool operator==(const CollectiveKey&, const CollectiveKey&) = default;
};
/// A text like "reduce to rank 0 of int by std::plus<void>".
[[nodiscard]] std::string describe(const CollectiveKey& key);

/// One step of a rank's part in a collective: it sends a value, or receives one and combines it.
struct CollectiveStep {
  enum class Action : std::uint8_t {
    send,
    replace,         ///< the received value is the value
    combine_after,   ///< value = value (op) received
    combine_before,  ///< value = received (op) value
    append           ///< the received values follow those at hand
  };
  Action action = Action::send;
  Rank peer;
  std::int32_t count = 0;  ///< values in the message, where it carries a list of them
};

/// The value on its way in a collective, and what its steps do to it. One thread at a time.
class CollectiveValue {
 public:
  CollectiveValue() = default;
  CollectiveValue(const CollectiveValue&) = delete;
  CollectiveValue& operator=(const CollectiveValue&) = delete;
  virtual ~CollectiveValue() = default;
  virtual void pack(core::Packer& packer, const CollectiveStep& step) const = 0;
  /// Takes a received value in. Throws MalformedMessage if it does not decode, Error if it does not
  /// fit the value here.
  virtual void take(core::Unpacker& bytes, const CollectiveStep& step) = 0;
};

/// A value from which this rank gets a result of type R.
template <class R>
class CollectiveResult : public CollectiveValue {
 public:
  virtual R result() = 0;
};

/// One collective call of one rank. It exists from its first message or the call itself, whichever
/// comes first, to its end. Its steps run on workers, one after the other in a fixed order, each
/// receiving step when its message has come: so results do not depend on the order of arrival.
class CollectiveCall final : public exec::ReadyItem,
                             public exec::WaitList::Entry,
                             public std::enable_shared_from_this<CollectiveCall> {
 public:
  /// `heard_from` is the rank whose message made the call known; this rank itself if it was the
  /// call.
  CollectiveCall(Collectives& collectives, std::uint64_t sequence, const CollectiveKey& key,
                 Rank heard_from);
  ~CollectiveCall() override;

  [[nodiscard]] bool is_done() const { return phase_.load(std::memory_order_acquire) == done; }
  /// False if the call is already done and the caller must not suspend. The suspension must have
  /// been captured.
  [[nodiscard]] bool wait(exec::Suspension* waiter);
  /// Requires is_done(). Returns the value, or throws the reason why there is none.
  [[nodiscard]] CollectiveValue& open() const;

  // ReadyItem and WaitList::Entry
  void run(exec::Context& context) override;
  void drop() override;
  [[nodiscard]] std::string waits_for() const override;
  [[nodiscard]] std::string who() const override;

 private:
  friend class Collectives;
  enum class Outcome : std::uint8_t { value, failed, aborted };

  /// Performs the steps that are possible. Called by the thread that has set is_running_.
  void advance();
  /// Wakes the awaiting coroutine. Called once.
  void finish(Outcome outcome, std::string text);
  void queue();

  static constexpr std::uint32_t empty = 0;
  static constexpr std::uint32_t waiting = 1;
  static constexpr std::uint32_t done = 2;
  Collectives& collectives_;
  const std::uint64_t sequence_;
  const CollectiveKey key_;  // as it first became known; a call that differs is an error
  const Rank heard_from_;
  // Written by the call before it sets is_called_, under the collectives' lock:
  std::vector<CollectiveStep> steps_;
  core::Owned<CollectiveValue> value_;  // used by the running thread after that
  std::atomic<bool> is_called_{false};
  // Under the collectives' lock:
  std::vector<Incoming> arrivals_;
  std::size_t next_step_ = 0;
  bool is_running_ = false;                // a thread performs steps, or the call is queued
  std::atomic<std::int32_t> awaited_{-1};  // the rank whose message is awaited next, for reports

  // Refers to this object while it is in a scheduler's queue.
  std::shared_ptr<CollectiveCall> queued_;
  std::atomic<std::uint32_t> phase_{empty};  // as in PendingReply
  std::atomic<exec::Suspension*> waiter_{nullptr};
  // Written before phase_ becomes `done`:
  Outcome outcome_ = Outcome::value;
  std::string text_;
};

/// The future result of a collective call. Await it at most once, from a coroutine of the rank that
/// called. It may be dropped: the rank still takes part. Awaiting throws roam::Error if the ranks'
/// calls do not match or an operator threw, and roam::JobAborted if the job stops.
template <class R>
class [[nodiscard]] Collective {
 public:
  explicit Collective(std::shared_ptr<CollectiveCall> call) : call_(std::move(call)) {}

  [[nodiscard]] bool is_ready() const { return call_->is_done(); }

  auto operator co_await() { return Awaiter(call_.get()); }

 private:
  struct Waiter final : exec::Suspension {};
  struct Awaiter {
    CollectiveCall* call;
    Waiter waiter;
    explicit Awaiter(CollectiveCall* c) : call(c) {}
    [[nodiscard]] bool await_ready() const { return call->is_done(); }
    bool await_suspend(std::coroutine_handle<> handle) {
      waiter.capture(handle);
      return call->wait(&waiter);
    }
    R await_resume() { return static_cast<CollectiveResult<R>&>(call->open()).result(); }
  };
  std::shared_ptr<CollectiveCall> call_;
};

}  // namespace roam::am
