// SPDX-License-Identifier: Apache-2.0
#include "forwarded_calls.hpp"

#include <cstring>
#include <memory>
#include <utility>

#include "call_epochs.hpp"
#include "roam/am/detail/system_handlers.hpp"
#include "roam/core/error.hpp"

namespace roam::mobile {

void ForwardedCalls::count(const CallHeader& header, Rank to) {
  residents_.watch().saw(ProtocolWatch::Step::forwarded, header, to);
  count_.fetch_add(1, std::memory_order_relaxed);
}

void ForwardedCalls::pass_on(CallHeader header, am::Incoming&& arguments, Rank known_location) {
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
  const CallAddress address = header;  // the details remain as they are
  std::byte* const begin = arguments.buffer.data() + arguments.offset - header.bytes_read();
  std::memcpy(begin, &address, sizeof address);
  count(header, to);
  constexpr std::uint32_t call = am::message_id<CallHeader>;
  if (arguments.attachment.data) {
    messenger.forward_attached(to, call, std::move(arguments.buffer),
                               std::move(arguments.attachment), true);
  } else {
    messenger.forward(to, call, std::move(arguments.buffer), true);
  }
}

void ForwardedCalls::send_on(Call* call, Rank to) {
  const std::unique_ptr<Call> sent(call);
  am::Messenger& messenger = residents_.messenger();
  CallHeader header = call->header();
  ++header.hops;
  count(header, to);
  auto message = messenger.begin(header);
  try {
    call->pack_arguments(message.packer());
  } catch (...) {  // later calls must not wait for it (M3)
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
  messenger.post(to, std::move(message));
  if (header.epoch != 0) messenger.epochs().sent(header.epoch, to);
}

}  // namespace roam::mobile
