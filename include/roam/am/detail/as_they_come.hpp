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

/// Of some replies, those that have come and that nobody has taken notice of yet, in the order in
/// which they came; and the one coroutine that waits for the next. Shared by that coroutine and the
/// replies that are still to come, which may outlive it.
class Arrivals : public std::enable_shared_from_this<Arrivals> {
 public:
  struct Waiter final : exec::Suspension {};

  /// Of this reply from now on. In a coroutine, once for each.
  void expect(PendingReply& reply, std::size_t index);
  /// That reply will not come: nobody waits for it any more.
  void forget(std::size_t index) { expected_[index].arrivals.reset(); }
  /// Nobody waits any more.
  void leave();
  /// The next of them; nothing: it is still to come, and `waiter`, which must have been captured,
  /// is resumed then.
  [[nodiscard]] std::optional<std::size_t> next_or_wait(Waiter* waiter);

 private:
  struct Expected final : exec::Suspension {
    std::size_t index = 0;
    std::shared_ptr<Arrivals> arrivals;  // keeps it alive until run() or drop()
    void run(exec::Context& context) override;
    void drop() override;
  };
  void has_come(std::size_t index);

  core::SpinLock lock_;
  std::deque<Expected> expected_;  // written by the coroutine that waits
  std::deque<std::size_t> come_;   // under lock_
  Waiter* waiter_ = nullptr;       // under lock_
};

/// Some replies, to be awaited in the order in which they come. In one coroutine.
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
  /// What is still to come is not waited for any more: where the job stops, it does not come.
  ~AsTheyCome() {
    arrivals_->leave();
    for (std::size_t i = 0; i < replies_.size(); ++i)
      if (replies_[i] && replies_[i]->pending().stop_waiting()) arrivals_->forget(i);
  }

  /// How many are still to be awaited.
  [[nodiscard]] std::size_t left() const { return left_; }
  /// `const std::size_t i = co_await coming.next_index();` Which comes next. While there are some
  /// left.
  [[nodiscard]] auto next_index() {
    --left_;
    return NextAwaiter(*arrivals_);
  }
  /// That reply, which has come: awaiting it does not suspend.
  [[nodiscard]] Reply<R> take(std::size_t index) {
    Reply<R> reply = std::move(*replies_[index]);
    replies_[index].reset();
    return reply;
  }
  /// Those that nobody has taken are of no interest any more.
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
      if (!come) return true;  // may have gone on in another thread, and this be gone
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
