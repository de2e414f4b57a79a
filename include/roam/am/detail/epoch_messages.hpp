// SPDX-License-Identifier: Apache-2.0
#pragma once

// The template part of Messenger for messages that belong to epochs (M10).
#include <tuple>
#include <type_traits>
#include <utility>

#include "roam/am/detail/program_handler.hpp"

namespace roam::am {

template <auto Handler>
void Messenger::dispatch_in_epoch(Messenger& self, const ProgramHandler& handler,
                                  std::uint64_t epoch, Incoming&& message) {
  const Rank source = message.source;
  ReplyTo reply_to{source, 0};
  core::Unpacker(message.payload()).read(&reply_to.token, sizeof reply_to.token);
  message.offset += sizeof reply_to.token;
  auto* run = make_run<TypedHandlerRun<Handler>, const ReplyTo&>(self, handler, reply_to,
                                                                 std::move(message));
  run->set_epoch(epoch);
  self.run_in_source_order(source, run);
}

// The handler itself is unfinished work of the epoch while this runs, so the epoch cannot end
// between sending and counting.
template <auto Handler, class... P, class... A>
void Messenger::post_in_epoch(Rank destination, std::uint64_t token,
                              std::type_identity<std::tuple<P...>> parameters, A&&... arguments) {
  const InEpoch head{Epochs::current(), program_handler_id<Handler>, 0};
  const auto write_head = [&head, token](core::Packer& packer) {
    write_message(packer, head);
    packer.write(&token, sizeof token);
  };
  post_parameters(destination, message_id<InEpoch>, parameters, write_head, true,
                  std::forward<A>(arguments)...);
  epochs_->sent(head.epoch, destination);
}

}  // namespace roam::am
