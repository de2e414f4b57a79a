// SPDX-License-Identifier: Apache-2.0
#include "dead_letters.hpp"

#include "close_call.hpp"
#include "destroy_call.hpp"
#include "forgetting.hpp"

namespace roam::mobile {

void DeadLetters::lose(const CallHeader& header) {
  residents_.watch().saw(ProtocolWatch::Step::dead, header);
  // The call stands for one that could not be made; the code that issued that one has got an
  // exception.
  if (header.has(CallHeader::is_cancelled) && !header.reply_to()) return;
  if (header.has(CallHeader::is_part)) {
    if (elements_ != nullptr) elements_->part_is_dead(ObjectId(header.object), header.reply_token);
    return;
  }
  const Method* const method = residents_.methods().find(header.method);
  const std::string name = method == nullptr ? "(unknown)" : method->describe();
  if (method == &DestroyCall::descriptor()) return;  // destroyed twice: nothing left to do
  if (method == &CloseCall::descriptor()) {
    return Forgetting::tell_closed(residents_.messenger(), Rank(header.origin),
                                   ObjectId(header.object));
  }
  const std::string text = "object " + to_string(ObjectId(header.object)) +
                           " does not exist (it was destroyed or never created); called by rank " +
                           std::to_string(header.origin) + ", handler " + name;
  lose({Rank(header.origin), header.reply_token}, text);
}

void DeadLetters::lose(const am::ReplyTo& reply_to, const std::string& text) {
  if (reply_to) {
    residents_.messenger().answer_failure(reply_to, am::ReplyStatus::object_gone, text);
  } else if (handler_) {
    handler_(text);
  } else {
    residents_.engine().report_error("rank " + std::to_string(residents_.rank().value()) + ": " +
                                     text);
  }
}

}  // namespace roam::mobile
