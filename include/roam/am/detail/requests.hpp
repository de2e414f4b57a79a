// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "roam/am/reply.hpp"

namespace roam::am {

class Messenger;

/// What one rank has asked of others, until it is answered, cancelled or too late. Any thread.
class Requests {
 public:
  explicit Requests(Messenger& messenger);
  /// The pending state has to be released by a Reply; the ReplyTo travels with the request.
  [[nodiscard]] std::pair<PendingReply*, ReplyTo> expect(const char* label, ObjectId subject);
  /// Ends the waiting for an answer: `cancelled` or `deadline_exceeded`. No effect if it is here.
  void cancel(std::uint64_t token, ReplyStatus status);
  /// The same as deadline_exceeded once this time has passed.
  void cancel_after(Duration deadline, std::uint64_t token);
  /// The listener hears of cancelled requests to objects. Before the first step.
  void set_cancel_listener(std::function<void(ObjectId object, std::uint64_t token)> listener) {
    on_cancel_ = std::move(listener);
  }
  /// The answer has come: `answer` from `offset` on. No effect if nobody has asked that, or does
  /// any more.
  void answer(std::uint64_t token, core::Buffer&& answer, std::size_t offset);
  void abort_all(const std::string& reason) { replies_.abort_all(reason); }

 private:
  void on_reply(const ReplyHead& head, Incoming&& rest);

  Messenger& messenger_;
  ReplyTable replies_;
  std::function<void(ObjectId, std::uint64_t)> on_cancel_;
};

}  // namespace roam::am
