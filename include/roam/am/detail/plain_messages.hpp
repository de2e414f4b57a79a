// SPDX-License-Identifier: Apache-2.0
#pragma once

// Messages for handlers of the program whose parameters are plain, so that their length is known
// at compile time.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include "roam/am/detail/epoch_messages.hpp"
#include "roam/am/detail/messenger_class.hpp"
#include "roam/am/detail/program_handler.hpp"

namespace roam::am::detail {

/// Token and arguments of such a message, as bytes.
template <class Parameters, class... A>
[[nodiscard]] auto plain_payload(std::uint64_t token, const A&... arguments) {
  std::array<std::byte, sizeof token + core::plain_tuple_bytes<Parameters>> payload;
  std::memcpy(payload.data(), &token, sizeof token);
  core::write_plain_tuple_as(std::type_identity<Parameters>{}, payload.data() + sizeof token,
                             arguments...);
  return payload;
}

/// What is large goes by reference.
template <class P>
using PassedPlain = std::conditional_t<sizeof(P) <= 16, P, const P&>;

/// The same as post_plain() if something else has to be done, too.
template <auto Handler, class... P>
[[gnu::noinline]] void post_plain_in_turn(Messenger& messenger, Rank destination,
                                          std::uint64_t token, P... parameters) {
  using Parameters = std::tuple<std::remove_cvref_t<P>...>;
  if (const exec::Context* const context = exec::detail::current_context;
      context != nullptr && context->epoch != 0) {
    return post_in_epoch<Handler>(messenger, destination, token, std::type_identity<Parameters>{},
                                  parameters...);
  }
  const auto payload = plain_payload<Parameters>(token, parameters...);
  if constexpr (payload.size() <= Coalescer::longest_payload) {
    if (messenger.path().may_be_collecting() &&
        messenger.path().put_into_batch(destination, program_handler_id<Handler>, payload))
      return;
  }
  messenger.post_bytes(destination, program_handler_id<Handler>, payload);
}

/// Sends a counted message for a handler of the program: token and parameters.
// A function of its own, because coroutines call it: see exec::current(). It takes the address of
// no parameter, so that the last call needs no stack frame.
template <auto Handler, class... P>
[[gnu::noinline]] void post_plain(Messenger& messenger, Rank destination, std::uint64_t token,
                                  P... parameters) {
  using Parameters = std::tuple<std::remove_cvref_t<P>...>;
  const exec::Context* const context = exec::detail::current_context;
  if (context != nullptr && context->epoch != 0)
    return post_plain_in_turn<Handler, P...>(messenger, destination, token, parameters...);
  const MessageSender::SmallMessage message =
      messenger.begin_small<sizeof token + core::plain_tuple_bytes<Parameters>>(
          context, destination, program_handler_id<Handler>);
  if (message.block == nullptr)
    return post_plain_in_turn<Handler, P...>(messenger, destination, token, parameters...);
  std::memcpy(message.payload, &token, sizeof token);
  core::write_plain_tuple_as(std::type_identity<Parameters>{}, message.payload + sizeof token,
                             parameters...);
  messenger.post_small(message.slot, destination, message.block, message.bytes);
}

/// Sends a counted message of Head::bytes that head.write_to(place) writes, and plain parameters
/// behind it, for a system handler.
template <std::uint32_t Handler, class Head, class... P>
[[gnu::noinline]] void post_plain_behind(MessageSender& sender, Rank destination, Head head,
                                         P... parameters) {
  using Parameters = std::tuple<std::remove_cvref_t<P>...>;
  constexpr std::size_t bytes = Head::bytes + core::plain_tuple_bytes<Parameters>;
  const MessageSender::SmallMessage message =
      sender.begin_small<bytes>(exec::detail::current_context, destination, Handler);
  std::array<std::byte, bytes> spare;
  std::byte* const place = message.block == nullptr ? spare.data() : message.payload;
  head.write_to(place);
  core::write_plain_tuple_as(std::type_identity<Parameters>{}, place + Head::bytes, parameters...);
  if (message.block == nullptr) return sender.post_bytes(destination, Handler, spare);
  sender.post_small(message.slot, destination, message.block, message.bytes);
}

}  // namespace roam::am::detail
