// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "roam/am/reply.hpp"

namespace roam::am {

class Messenger;

/// Is told how long coroutines of this rank have waited for answers, and for whose.
class WaitListener {
 public:
  virtual void awaited(Rank answered_by, Duration idle_before) = 0;

 protected:
  ~WaitListener() = default;
};

/// The requests of one rank that have not been answered, cancelled or given up. Any thread.
class Requests {
 public:
  explicit Requests(Messenger& messenger);
  /// Adds a request. The pending state has to be released by a Reply; the ReplyTo travels with the
  /// request.
  [[nodiscard]] std::pair<PendingReply*, ReplyTo> expect(const char* label, ObjectId subject);
  /// Ends the waiting for an answer with status `cancelled` or `deadline_exceeded`. No effect if
  /// the answer has come.
  void cancel(std::uint64_t token, ReplyStatus status);
  /// Cancels the request with `deadline_exceeded` when this time has passed.
  void cancel_after(Duration deadline, std::uint64_t token);
  /// Sets a listener that is told of cancelled requests to objects. Before the first step.
  void set_cancel_listener(std::function<void(ObjectId object, std::uint64_t token)> listener);
  /// Measures waits from now on: the listener is told of every answer from a rank (this one
  /// included, where it answers by a message) for which a coroutine has been waiting, with the idle
  /// time of this rank's workers until it began to (Engine::idle_time()). It is called inside
  /// progress, and must exist until the engine's last step. Once, by any thread; without it, an
  /// answer costs one look more, and a wait or an answer without a message none.
  void measure_waits(WaitListener* listener);
  /// Called when an answer has come, which begins at `offset` of the buffer. No effect if the token
  /// is not, or no longer, known.
  void answer(std::uint64_t token, core::Buffer&& answer, std::size_t offset);
  void abort_all(const std::string& reason) { replies_.abort_all(reason); }

 private:
  void on_reply(const ReplyHead& head, Incoming&& rest);

  Messenger& messenger_;
  ReplyTable replies_;
  std::function<void(ObjectId, std::uint64_t)> on_cancel_;
  std::atomic<WaitListener*> wait_listener_{nullptr};
};

}  // namespace roam::am
