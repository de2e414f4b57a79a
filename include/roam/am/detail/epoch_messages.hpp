// SPDX-License-Identifier: Apache-2.0
#pragma once

// Messages for handlers of the program that belong to epochs (M10).
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "roam/am/detail/messenger_class.hpp"
#include "roam/am/detail/program_handler.hpp"

namespace roam::am::detail {

/// The same as post_plain() of any parameters, in the epoch of what runs on this thread.
// The handler itself is unfinished work of the epoch while this runs, so the epoch cannot end
// between sending and counting.
template <auto Handler, class... P, class... A>
void post_in_epoch(Messenger& messenger, Rank destination, std::uint64_t token,
                   std::type_identity<std::tuple<P...>> parameters, A&&... arguments) {
  const InEpoch head{Epochs::current(), program_handler_id<Handler>, 0};
  const auto write_head = [&head, token](core::Packer& packer) {
    write_message(packer, head);
    packer.write(&token, sizeof token);
  };
  messenger.post_parameters(destination, message_id<InEpoch>, parameters, write_head, true,
                            std::forward<A>(arguments)...);
  messenger.epochs().sent(head.epoch, destination);
}

}  // namespace roam::am::detail
