// SPDX-License-Identifier: Apache-2.0
#include "forwarded_calls.hpp"

#include <cstring>
#include <memory>
#include <utility>

#include "call_epochs.hpp"
#include "roam/core/error.hpp"

namespace roam::mobile {

void ForwardedCalls::count(const CallHeader& header, Rank to) {
  residents_.watch().saw(ProtocolWatch::Step::forwarded, header, to);
  count_.fetch_add(1, std::memory_order_relaxed);
}

void ForwardedCalls::pass_on(am::Incoming&& message, CallHeader header, Rank known_location) {
  am::Messenger& messenger = residents_.messenger();
  const Rank home = ObjectId(header.object).home();
  Rank to = known_location;
  if (to == no_rank || to == residents_.rank()) {
    if (home == residents_.rank()) {
      pass_on_for_epoch(messenger.epochs(), header, no_rank);
      return dead_letters_.lose(header);
    }
    to = home;
  }
  if (header.hops >= residents_.options().max_hops && home != residents_.rank()) {
    to = home;
    header.hops = 0;
  }
  ++header.hops;
  pass_on_for_epoch(messenger.epochs(), header, to);
  const CallAddress address = header;  // the details stay as they are
  std::memcpy(message.buffer.data() + message.offset, &address, sizeof address);
  count(header, to);
  constexpr std::uint32_t call = am::constant_handler_id("roam.call");
  if (message.attachment.data) {
    messenger.forward_attached(to, call, std::move(message.buffer), std::move(message.attachment),
                               true);
  } else {
    messenger.forward(to, call, std::move(message.buffer), true);
  }
}

void ForwardedCalls::send_on(Call* call, Rank to) {
  const std::unique_ptr<Call> sent(call);
  am::Messenger& messenger = residents_.messenger();
  CallHeader header = call->header();
  ++header.hops;
  count(header, to);
  core::Packer packer = messenger.begin(sizeof header);
  header.write(packer);
  try {
    call->pack_arguments(packer);
  } catch (...) {  // the others go on without it (M3)
    const std::string problem = "rank " + std::to_string(residents_.rank().value()) + ", " +
                                call->describe() +
                                " cannot be packed: " + words_of(std::current_exception());
    if (const am::ReplyTo to_whom = header.reply_to()) {
      messenger.answer_failure(to_whom, am::ReplyStatus::handler_failed, problem);
      header.reply_token = 0;
    } else {
      residents_.engine().report_error(problem);
    }
    return issued_.post_in_place_of(header, to);
  }
  messenger.post(to, am::constant_handler_id("roam.call"), std::move(packer), true);
  if (header.epoch != 0) messenger.epochs().sent(header.epoch, to);
}

}  // namespace roam::mobile
