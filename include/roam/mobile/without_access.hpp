// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>

#include "roam/am/reply.hpp"
#include "roam/exec/detail/suspension.hpp"

namespace roam {

/// @cond
namespace mobile {

class Call;
class Resident;

/// A coroutine of an object that has given up its access while it waits, and gets it back before it
/// goes on.
class AccessWait final : public exec::Suspension {
 public:
  AccessWait() : give_up_(*this) {}
  /// Lets other calls of the object run; no effect if the coroutine is no method of an object.
  /// After capture().
  void give_up();
  /// Called when what it waits for has come.
  void run(exec::Context& context) override;
  /// Called after it has gone on: throws ObjectGone if the object has ended meanwhile.
  void check() const;

 private:
  friend class RegainCall;
  /// In virtual time other calls may run only after the time that the handler has computed has
  /// passed.
  class GiveUp final : public exec::ReadyItem {
   public:
    explicit GiveUp(AccessWait& wait) : wait_(wait) {}
    void run(exec::Context& context) override { wait_.give_up_now(&context); }

   private:
    AccessWait& wait_;
  };
  void give_up_now(exec::Context* context);
  void go_on(exec::Context& context);
  void lose_object();

  Call* call_ = nullptr;  // the execution that waits
  GiveUp give_up_;
  // Under the lock of the object's shard:
  bool has_given_up_ = false;
  bool is_wanted_back_ = false;
  bool is_gone_ = false;  // written before the coroutine goes on
};

}  // namespace mobile
/// @endcond

/// Awaits a reply without access to the object: `double q = co_await
/// roam::without_access(neighbour.call<&Piece::quality>());` in a method of an object. While it
/// waits, other calls of the object may run, and may change it. Before the method goes on, it gets
/// its exclusive or shared access back, ahead of any call that has not started; the object does not
/// move meanwhile. Without this, a method that awaits keeps its access. Throws as the Reply does,
/// and ObjectGone if the object itself was destroyed meanwhile. Outside of methods it is the same
/// as awaiting the Reply.
template <class R>
[[nodiscard]] auto without_access(am::Reply<R>&& reply) {
  struct Awaiter {
    am::Reply<R> reply;
    mobile::AccessWait wait;
    explicit Awaiter(am::Reply<R>&& r) : reply(std::move(r)) {}
    [[nodiscard]] bool await_ready() const { return reply.is_ready(); }
    void await_suspend(std::coroutine_handle<> handle) {
      wait.capture(handle);
      am::PendingReply& pending = reply.pending();
      wait.give_up();
      if (!pending.wait(&wait)) wait.resume();
    }
    R await_resume() {
      wait.check();
      return am::Reply<R>::take(reply.pending());
    }
  };
  return Awaiter(std::move(reply));
}

}  // namespace roam
