// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "roam/am/reply.hpp"
#include "roam/core/detail/spin_lock.hpp"
#include "roam/exec/detail/suspension.hpp"

namespace roam::am {

/// Of some replies, those that have come and that the waiting coroutine has not been given yet, in
/// the order in which they came, and that one coroutine, which waits for the next. Shared by the
/// coroutine and the replies that are still to come, which may outlive it.
class Arrivals : public std::enable_shared_from_this<Arrivals> {
 public:
  struct Waiter final : exec::Suspension {};

  /// Adds a reply, to be watched from now on. Called in a coroutine, once for each reply.
  void expect(PendingReply& reply, std::size_t index);
  /// Gives up a reply: nobody waits for it any more.
  void forget(std::size_t index);
  /// Notes that the coroutine waits for none of the replies any more.
  void leave();
  /// The index of the next reply that has come. If there is none yet, nullopt: then `waiter`, which
  /// must have been captured, is resumed when one comes.
  [[nodiscard]] std::optional<std::size_t> next_or_wait(Waiter* waiter);

 private:
  struct Expected final : exec::Suspension {
    std::size_t index = 0;
    std::shared_ptr<Arrivals> arrivals;  // makes sure that it exists until run() or drop()
    void run(exec::Context& context) override;
    void drop() override;
  };
  void has_come(std::size_t index);

  core::SpinLock lock_;
  std::deque<Expected> expected_;  // written by the coroutine that waits
  std::deque<std::size_t> come_;   // under lock_
  Waiter* waiter_ = nullptr;       // under lock_
};

/// Some replies, to be awaited in the order in which they come. For use in one coroutine.
template <class R>
class AsTheyCome {
 public:
  explicit AsTheyCome(std::vector<Reply<R>> replies)
      : arrivals_(std::make_shared<Arrivals>()), left_(replies.size()) {
    for (Reply<R>& reply : replies) replies_.emplace_back(std::move(reply));
    for (std::size_t i = 0; i < replies_.size(); ++i) arrivals_->expect(replies_[i]->pending(), i);
  }
  AsTheyCome(const AsTheyCome&) = delete;
  AsTheyCome& operator=(const AsTheyCome&) = delete;
  /// Replies that have not come are not waited for any more: if the job stops, they never come.
  ~AsTheyCome() {
    arrivals_->leave();
    for (std::size_t i = 0; i < replies_.size(); ++i)
      if (replies_[i] && replies_[i]->pending().stop_waiting()) arrivals_->forget(i);
  }

  /// The number of replies still to be awaited.
  [[nodiscard]] std::size_t left() const { return left_; }
  /// The index of the next reply to come: `const std::size_t i = co_await coming.next_index();`.
  /// Requires left() > 0.
  [[nodiscard]] auto next_index() {
    --left_;
    return NextAwaiter(*arrivals_);
  }
  /// The reply of that index, which has come: awaiting it does not suspend.
  [[nodiscard]] Reply<R> take(std::size_t index) {
    Reply<R> reply = std::move(*replies_[index]);
    replies_[index].reset();
    return reply;
  }
  /// Cancels the replies that have not been taken, and ignores their failures.
  void cancel_others() {
    for (std::optional<Reply<R>>& reply : replies_) {
      if (!reply) continue;
      reply->ignore();
      reply->cancel();
    }
  }

 private:
  struct NextAwaiter {
    Arrivals& arrivals;
    std::optional<std::size_t> index;
    Arrivals::Waiter waiter;
    explicit NextAwaiter(Arrivals& a) : arrivals(a) {}
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> handle) {
      waiter.capture(handle);
      const std::optional<std::size_t> come = arrivals.next_or_wait(&waiter);
      if (!come) return true;  // may have been resumed on another thread, which has destroyed *this
      index = come;
      return false;
    }
    std::size_t await_resume() { return index ? *index : *arrivals.next_or_wait(nullptr); }
  };

  std::shared_ptr<Arrivals> arrivals_;
  std::vector<std::optional<Reply<R>>> replies_;
  std::size_t left_;
};

}  // namespace roam::am
