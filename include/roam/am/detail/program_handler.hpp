// SPDX-License-Identifier: Apache-2.0
#pragma once

// The template part of Messenger: how a function named in the program becomes a handler.
#include <array>
#include <optional>
#include <tuple>
#include <type_traits>

#include "roam/am/detail/handler_run.hpp"
#include "roam/am/detail/messenger_class.hpp"
#include "roam/am/detail/passing_execution.hpp"
#include "roam/core/detail/callable.hpp"
#include "roam/exec/task.hpp"

namespace roam {

// Deliberately incomplete: the compiler's one-line complaint names the rule and the types.
template <class Handler, class... Arguments>
struct these_arguments_do_not_match_the_parameters_of_the_handler;

namespace am {

template <class R>
struct UnwrapTask {
  using type = R;
};
template <class R>
struct UnwrapTask<Task<R>> {
  using type = R;
};
/// What the caller of a handler gets back: R for R and for Task<R>.
template <class R>
using ResultOf = typename UnwrapTask<std::decay_t<R>>::type;

template <auto Handler>
void Messenger::dispatch_program(Messenger& self, const ProgramHandler& handler,
                                 Incoming&& message) {
  const Rank source = message.source;
  using Parameters = typename core::CallableOf<Handler>::Arguments;
  // Arrays may come attached, and coroutines keep their arguments.
  if constexpr (exec::is_task<typename core::CallableOf<Handler>::Result> ||
                core::has_array_parameter<Parameters>) {
    ReplyTo reply_to{source, 0};
    core::Unpacker(message.payload()).read(&reply_to.token, sizeof reply_to.token);
    message.offset += sizeof reply_to.token;
    self.run_in_source_order(source, make_run<TypedHandlerRun<Handler>, const ReplyTo&>(
                                         self, handler, reply_to, std::move(message)));
  } else {
    self.run_in_source_order(source,
                             make_run<PlainHandlerRun<Handler>>(self, handler, std::move(message)));
  }
}

template <auto Handler>
void Messenger::run_in_place(Messenger& self, const ProgramHandler& handler, Rank source,
                             std::span<const std::byte> payload, exec::Context& context) {
  if constexpr (exec::is_task<typename core::CallableOf<Handler>::Result>) {
    ReplyTo reply_to{source, 0};
    if (payload.size() < sizeof reply_to.token) return self.reject(source, "no room for the token");
    Incoming message{source, self.unpack_entry(payload), payload_offset + sizeof reply_to.token,
                     true};
    std::memcpy(&reply_to.token, payload.data(), sizeof reply_to.token);
    make_run<TypedHandlerRun<Handler>, const ReplyTo&>(self, handler, reply_to, std::move(message))
        ->run(context);
    if (context.finished != nullptr) std::exchange(context.finished, nullptr)->finish(context);
  } else {
    PassingExecution::run<Handler>(self, handler, source, payload, context);
  }
}

template <auto Handler>
std::uint32_t Messenger::run_several(Messenger& self, const ProgramHandler& handler, Rank source,
                                     BatchReader& messages, std::uint32_t most,
                                     exec::Context& context) {
  const std::uint32_t present = messages.opened();
  std::uint32_t done = 0;
  do {
    if constexpr (exec::is_task<typename core::CallableOf<Handler>::Result>) {
      run_in_place<Handler>(self, handler, source, messages.take(), context);
    } else {
      PassingExecution::run<Handler>(self, handler, source, messages.take(), context);
    }
    ++done;
    // A handler that was held back may have seen others run, of later entries too.
  } while (done < most && messages.opened() == present && messages.left() > 0);
  return done;
}

/// Brings a handler into the table by being mentioned.
template <auto Handler, auto Dispatch, auto RunInPlace, auto RunSeveral, auto DispatchInEpoch>
inline const ProgramHandlerRegistrar program_handler_registrar{
    {core::program_name_of_value<Handler>(), Dispatch, RunInPlace, RunSeveral, DispatchInEpoch,
     core::has_array_parameter<typename core::CallableOf<Handler>::Arguments>,
     RunInPlace != nullptr && !exec::is_task<typename core::CallableOf<Handler>::Result>}};

/// Constant after static initialisation.
template <auto Handler>
inline const std::uint32_t program_handler_id = handler_id(core::value_symbol<Handler>());

template <class... P, class WriteHead, class... A>
void Messenger::post_parameters(Rank destination, std::uint32_t handler,
                                std::type_identity<std::tuple<P...>> parameters,
                                WriteHead&& write_head, bool counted, A&&... arguments) {
  if constexpr ((core::ArrayParameter<P> || ...)) {
    const core::ArraySizes sizes = core::array_sizes(parameters, arguments...);
    if (const auto chosen = choose_attachment(sizes)) {
      core::Outlet outlet{*chosen, &large_memory()};
      core::Packer packer = begin_beside();
      write_head(packer);
      core::pack_parameters(parameters, packer, &outlet, std::forward<A>(arguments)...);
      return forward_attached(destination, handler, packer.take(), std::move(outlet.attachment),
                              counted);
    }
    core::Packer packer = begin(sizes.total);
    write_head(packer);
    core::pack_parameters(parameters, packer, nullptr, std::forward<A>(arguments)...);
    post(destination, handler, std::move(packer), counted);
  } else {
    core::Packer packer = begin();
    write_head(packer);
    core::pack_tuple_as(parameters, packer, arguments...);
    post(destination, handler, std::move(packer), counted);
  }
}

namespace detail {
/// What is large goes by reference.
template <class P>
using PassedPlain = std::conditional_t<sizeof(P) <= 16, P, const P&>;
template <auto Handler, class... P, class... A>
void post_plain_call(Messenger& messenger, Rank destination, std::uint64_t token,
                     std::type_identity<std::tuple<P...>>, const A&... arguments) {
  messenger.post_plain<Handler, PassedPlain<P>...>(destination, token,
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
      return messenger.post_in_epoch<Handler>(destination, token, std::type_identity<Parameters>{},
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
  static_cast<void>(
      program_handler_registrar<Handler, &Messenger::dispatch_program<Handler>,
                                &Messenger::run_in_place<Handler>, &Messenger::run_several<Handler>,
                                &Messenger::dispatch_in_epoch<Handler>>.handler());
  using Parameters = typename core::CallableOf<Handler>::Arguments;
  if constexpr (!core::is_plain_tuple<Parameters> &&
                core::are_flat_arguments<Parameters, std::remove_cvref_t<A>...>) {
    constexpr std::uint64_t token = 0;
    constexpr std::type_identity<Parameters> parameters;
    if (coalescer_ != nullptr && coalescer_->may_be_collecting() && Epochs::current() == 0 &&
        write_into_batch(destination, program_handler_id<Handler>,
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
  const auto& registrar =
      program_handler_registrar<Handler, &Messenger::dispatch_program<Handler>,
                                &Messenger::run_in_place<Handler>, &Messenger::run_several<Handler>,
                                &Messenger::dispatch_in_epoch<Handler>>;
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

}  // namespace am
}  // namespace roam

#include "roam/am/detail/epoch_messages.hpp"
#include "roam/am/detail/plain_messages.hpp"
