// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a function named in the program becomes a handler: what is done with a message for it, in a
// ProgramHandler.
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

#include "roam/am/detail/batch.hpp"
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

namespace detail {

/// The message as a run of its own: for coroutines, which keep their arguments, and where arrays
/// may come attached.
template <auto Handler>
[[nodiscard]] TypedHandlerRun<Handler>* make_typed_run(Messenger& messenger,
                                                       const ProgramHandler& handler,
                                                       Incoming&& message) {
  ReplyTo reply_to{message.source, 0};
  core::Unpacker(message.payload()).read(&reply_to.token, sizeof reply_to.token);
  message.offset += sizeof reply_to.token;
  return make_run<TypedHandlerRun<Handler>, const ReplyTo&>(messenger, handler, reply_to,
                                                            std::move(message));
}

/// The functions of a ProgramHandler.
template <auto Handler>
struct ProgramDispatch {
  using Parameters = typename core::CallableOf<Handler>::Arguments;
  static constexpr bool is_coroutine = exec::is_task<typename core::CallableOf<Handler>::Result>;

  static void dispatch(Messenger& self, const ProgramHandler& handler, Incoming&& message) {
    const Rank source = message.source;
    if constexpr (is_coroutine || core::has_array_parameter<Parameters>) {
      self.dispatcher().run_in_source_order(
          source, make_typed_run<Handler>(self, handler, std::move(message)));
    } else {
      self.dispatcher().run_in_source_order(
          source, make_run<PlainHandlerRun<Handler>>(self, handler, std::move(message)));
    }
  }

  static void dispatch_in_epoch(Messenger& self, const ProgramHandler& handler, std::uint64_t epoch,
                                Incoming&& message) {
    const Rank source = message.source;
    TypedHandlerRun<Handler>* const run =
        make_typed_run<Handler>(self, handler, std::move(message));
    run->set_epoch(epoch);
    self.dispatcher().run_in_source_order(source, run);
  }

  static void run_in_place(Messenger& self, const ProgramHandler& handler, Rank source,
                           std::span<const std::byte> payload, exec::Context& context) {
    if constexpr (is_coroutine) {
      ReplyTo reply_to{source, 0};
      if (payload.size() < sizeof reply_to.token)
        return self.reject(source, "no room for the token");
      Incoming message{source, self.dispatcher().unpack_entry(payload),
                       Messenger::payload_offset + sizeof reply_to.token, true};
      std::memcpy(&reply_to.token, payload.data(), sizeof reply_to.token);
      make_run<TypedHandlerRun<Handler>, const ReplyTo&>(self, handler, reply_to,
                                                         std::move(message))
          ->run(context);
      if (context.finished != nullptr) std::exchange(context.finished, nullptr)->finish(context);
    } else {
      PassingExecution::run<Handler>(self, handler, source, payload, context);
    }
  }

  static std::uint32_t run_several(Messenger& self, const ProgramHandler& handler, Rank source,
                                   BatchReader& messages, std::uint32_t most,
                                   exec::Context& context) {
    const std::uint32_t present = messages.opened();
    std::uint32_t done = 0;
    do {
      if constexpr (is_coroutine) {
        run_in_place(self, handler, source, messages.take(), context);
      } else {
        PassingExecution::run<Handler>(self, handler, source, messages.take(), context);
      }
      ++done;
      // A handler that was held back may have seen others run, of later entries too.
    } while (done < most && messages.opened() == present && messages.left() > 0);
    return done;
  }
};

}  // namespace detail

/// Brings a handler into the table by being mentioned.
template <auto Handler, class Dispatch = detail::ProgramDispatch<Handler>>
inline const ProgramHandlerRegistrar program_handler_registrar{
    {core::program_name_of_value<Handler>(), &Dispatch::dispatch, &Dispatch::run_in_place,
     &Dispatch::run_several, &Dispatch::dispatch_in_epoch,
     core::has_array_parameter<typename core::CallableOf<Handler>::Arguments>,
     !Dispatch::is_coroutine}};

/// Constant after static initialisation.
template <auto Handler>
inline const std::uint32_t program_handler_id = handler_id(core::value_symbol<Handler>());

}  // namespace am
}  // namespace roam
