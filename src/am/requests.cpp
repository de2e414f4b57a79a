// SPDX-License-Identifier: Apache-2.0
#include "roam/am/detail/requests.hpp"

#include "roam/am/detail/messenger.hpp"
#include "roam/core/error.hpp"

namespace roam::am {

Requests::Requests(Messenger& messenger)
    : messenger_(messenger), replies_(messenger.engine().waits()) {
  messenger_.bind<&Requests::on_reply>(*this);
}

std::pair<PendingReply*, ReplyTo> Requests::expect(const char* label, ObjectId subject) {
  auto* pending = new PendingReply(messenger_.engine(), label, subject);
  return {pending, {messenger_.rank(), replies_.add(pending)}};
}

void Requests::cancel(std::uint64_t token, ReplyStatus status) {
  const bool is_late = status == ReplyStatus::deadline_exceeded;
  const ObjectId subject = replies_.give_up(
      token, status, is_late ? " did not come by its deadline" : ": it was cancelled");
  if (subject && on_cancel_) on_cancel_(subject, token);
}

void Requests::cancel_after(Duration deadline, std::uint64_t token) {
  exec::Engine& engine = messenger_.engine();
  engine.waits().begin_deadline();
  engine.call_at(engine.now() + deadline, [this, token] {
    messenger_.engine().waits().end_deadline();
    cancel(token, ReplyStatus::deadline_exceeded);
  });
}

void Requests::answer(std::uint64_t token, core::Buffer&& answer, std::size_t offset) {
  const std::size_t start = answer ? offset : 0;
  static_cast<void>(replies_.complete(token, {.buffer = std::move(answer), .offset = start}));
}

void Requests::measure_waits(WaitListener* listener) {
  wait_listener_.store(listener, std::memory_order_release);
  messenger_.engine().waits().measure();
}

void Requests::on_reply(const ReplyHead& head, Incoming&& rest) {
  if (WaitListener* const listener = wait_listener_.load(std::memory_order_acquire)) [[unlikely]] {
    if (const auto idle_before = replies_.idle_before(head.token))
      listener->awaited(rest.source, *idle_before);
  }
  if (head.status > ReplyStatus::deadline_exceeded) throw MalformedMessage("unknown reply status");
  std::string text;
  if (head.status != ReplyStatus::value) {
    core::Unpacker bytes(rest.payload());
    text = core::unpack_all<std::string>(bytes);
  }
  ReplyContents answer{head.status, std::move(rest.buffer), rest.offset, std::move(text),
                       std::move(rest.attachment)};
  if (!replies_.complete(head.token, std::move(answer)))
    throw MalformedMessage("reply to an unknown request");
}

void Requests::set_cancel_listener(
    std::function<void(ObjectId object, std::uint64_t token)> listener) {
  on_cancel_ = std::move(listener);
}

}  // namespace roam::am
