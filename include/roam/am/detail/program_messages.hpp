// SPDX-License-Identifier: Apache-2.0
#pragma once

// The templates of Messenger: messages for handlers of the program, and their answers.
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include "roam/am/detail/epoch_messages.hpp"
#include "roam/am/detail/messenger_class.hpp"
#include "roam/am/detail/plain_messages.hpp"
#include "roam/am/detail/program_handler.hpp"
#include "roam/am/detail/system_handlers.hpp"
#include "roam/core/detail/callable.hpp"

namespace roam::am {

namespace detail {

template <auto Handler, class... P, class... A>
void post_plain_call(Messenger& messenger, Rank destination, std::uint64_t token,
                     std::type_identity<std::tuple<P...>>, const A&... arguments) {
  post_plain<Handler, PassedPlain<P>...>(messenger, destination, token,
                                         static_cast<PassedPlain<P>>(arguments)...);
}

/// Posts arguments for a handler behind the token of whoever waits for its answer.
template <auto Handler, class... A>
void post_call(Messenger& messenger, Rank destination, std::uint64_t token, A&&... arguments) {
  using Parameters = typename core::CallableOf<Handler>::Arguments;
  if constexpr (!core::are_arguments_for<Parameters, std::remove_cvref_t<A>...>) {
    (void)sizeof(
        these_arguments_do_not_match_the_parameters_of_the_handler<decltype(Handler),
                                                                   std::remove_cvref_t<A>...>);
  } else if constexpr (!core::can_parameters_arrive<Parameters>) {
    core::require_parameters<Parameters>();
  } else if constexpr (core::is_plain_tuple<Parameters>) {
    post_plain_call<Handler>(messenger, destination, token, std::type_identity<Parameters>{},
                             arguments...);
  } else {
    if (Epochs::current() != 0)
      return post_in_epoch<Handler>(messenger, destination, token, std::type_identity<Parameters>{},
                                    std::forward<A>(arguments)...);
    const auto write_token = [token](core::Packer& packer) { packer.write(&token, sizeof token); };
    messenger.post_parameters(destination, program_handler_id<Handler>,
                              std::type_identity<Parameters>{}, write_token, true,
                              std::forward<A>(arguments)...);
  }
}
}  // namespace detail

template <auto Handler, class... A>
void Messenger::send(Rank destination, A&&... arguments) {
  static_cast<void>(program_handler_registrar<Handler>.handler());
  using Parameters = typename core::CallableOf<Handler>::Arguments;
  if constexpr (!core::is_plain_tuple<Parameters> &&
                core::are_flat_arguments<Parameters, std::remove_cvref_t<A>...>) {
    constexpr std::uint64_t token = 0;
    constexpr std::type_identity<Parameters> parameters;
    if (path().may_be_collecting() && Epochs::current() == 0 &&
        path().write_into_batch(destination, program_handler_id<Handler>,
                                sizeof token + core::flat_bytes(parameters, arguments...),
                                [&](std::byte* place) {
                                  std::memcpy(place, &token, sizeof token);
                                  core::write_flat(parameters, place + sizeof token, arguments...);
                                }))
      return;
  }
  detail::post_call<Handler>(*this, destination, 0, std::forward<A>(arguments)...);
}

template <auto Handler, class... A>
auto Messenger::request(Rank destination, A&&... arguments) {
  using R = ResultOf<typename core::CallableOf<Handler>::Result>;
  const auto& registrar = program_handler_registrar<Handler>;
  auto [pending, reply_to] = expect_reply(registrar.handler().name.text.data(), ObjectId());
  Reply<R> reply(pending);
  detail::post_call<Handler>(*this, destination, reply_to.token, std::forward<A>(arguments)...);
  return reply;
}

template <class... T>
void Messenger::answer(const ReplyTo& to, T&&... values) {
  if (!to) return;
  post_behind(to.rank, ReplyHead{to.token, ReplyStatus::value},
              std::type_identity<std::tuple<std::remove_cvref_t<T>...>>{},
              std::forward<T>(values)...);
}

template <class... T>
void Messenger::answer_here(std::uint64_t token, T&&... values) {
  core::Buffer bytes;
  if constexpr (sizeof...(T) > 0) {
    core::Packer packer = begin();
    core::pack_parameters(std::type_identity<std::tuple<std::remove_cvref_t<T>...>>{}, packer,
                          nullptr, std::forward<T>(values)...);
    bytes = packer.take();
  }
  requests_.answer(token, std::move(bytes), payload_offset);
}

}  // namespace roam::am
