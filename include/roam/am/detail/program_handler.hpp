// SPDX-License-Identifier: Apache-2.0
#pragma once

// The template part of Messenger: how a function named in the program becomes a handler.
#include <array>
#include <optional>
#include <tuple>
#include <type_traits>

#include "roam/am/detail/messenger.hpp"
#include "roam/core/detail/argument_check.hpp"
#include "roam/core/detail/callable.hpp"
#include "roam/core/error.hpp"
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

/// An execution that answers its caller and reports its failure.
class AnsweringExecution : public exec::Execution {
 public:
  AnsweringExecution(Messenger& messenger, const ReplyTo& reply_to)
      : messenger_(messenger), reply_to_(reply_to) {}
  AnsweringExecution(const AnsweringExecution&) = delete;
  AnsweringExecution& operator=(const AnsweringExecution&) = delete;
  [[nodiscard]] Request answers() const override { return {reply_to_.rank, reply_to_.token}; }

 protected:
  ~AnsweringExecution() = default;
  /// Calls `call()`, which is no coroutine, and answers with its result.
  template <class Call>
  void call_and_answer(Call&& call) {
    const std::uint64_t sent = reply_to_ ? sent_so_far() : 0;
    try {
      if constexpr (std::is_void_v<std::invoke_result_t<Call>>) {
        std::forward<Call>(call)();
        if (reply_to_) answer_in_order(sent);
      } else {
        auto&& value = std::forward<Call>(call)();
        if (reply_to_) answer_in_order(sent, std::forward<decltype(value)>(value));
      }
    } catch (...) {
      fail(std::current_exception());
    }
  }
  template <class V>
  void answer_value(V&& value) {
    if (reply_to_) messenger_.answer(reply_to_, std::forward<V>(value));
  }
  [[nodiscard]] Messenger& messenger() const { return messenger_; }
  [[nodiscard]] const ReplyTo& reply_to() const { return reply_to_; }
  /// Inside a catch block: the arguments that came do not decode, and no code of the program's
  /// takes part in that (their ArgumentCheck is nullptr), so that the bytes are none of its own:
  /// counted (A7). Whoever waits is told.
  void reject_arguments();
  /// The same where it does: a failure of the handler, which names the argument (R2).
  void fail_for_arguments(core::ArgumentCheck check, const core::PackedArguments& packed);
  /// Tells whoever waits - or the job - that the handler threw; `where`: what it was about.
  void fail(const std::exception_ptr& error, const char* where = "");

 private:
  [[nodiscard]] std::string words_on_arguments() const;
  [[nodiscard, gnu::noinline]] std::uint64_t sent_so_far() const {
    return messenger_.sent_by_this_thread();
  }
  /// Answers a request of this rank at once, unless the handler's thread, which had sent `sent`
  /// messages when the handler began, has sent something since that the answer would overtake.
  template <class... V>
  [[gnu::noinline]] void answer_in_order(std::uint64_t sent, V&&... value) {
    // An array may travel without a copy.
    if constexpr (!(core::ArrayParameter<std::remove_cvref_t<V>> || ...)) {
      if (reply_to_.rank == messenger_.rank() && !messenger_.may_have_sent_since(sent) &&
          !messenger_.engine().is_ahead_of_time())
        return messenger_.answer_here(reply_to_.token, std::forward<V>(value)...);
    }
    messenger_.answer(reply_to_, std::forward<V>(value)...);
  }
  Messenger& messenger_;
  ReplyTo reply_to_;
};

/// One execution of any handler: runs it, keeps its coroutine, answers its caller, reports its
/// failure.
class HandlerExecution : public AnsweringExecution {
 public:
  using AnsweringExecution::AnsweringExecution;

  /// The job ends while its coroutine is suspended: frees itself.
  virtual void abandon() = 0;

 protected:
  virtual ~HandlerExecution() { end_task(); }
  /// Calls `call()`; answers with its result now, or when its coroutine ends. Marks the context
  /// when it is over.
  template <class Call>
  void execute(exec::Context& context, Call&& call) {
    if constexpr (exec::is_task<std::invoke_result_t<Call>>) {
      try {
        task_ = drive(this, std::forward<Call>(call)());
        messenger().live_handlers().add(this);
        task_.start(this);
        return;
      } catch (...) {
        fail(std::current_exception());
      }
    } else {
      call_and_answer(std::forward<Call>(call));
    }
    context.finished = this;
  }
  /// Frees its coroutine, if it has one: before what the coroutine refers to is freed.
  void end_task() {
    if (task_) messenger().live_handlers().remove(this);
    task_ = {};
  }

 private:
  template <class R>
  static Task<> drive(HandlerExecution* self, Task<R> task) {
    try {
      if constexpr (std::is_void_v<R>) {
        co_await std::move(task);
        self->messenger().answer(self->reply_to());
      } else {
        R value = co_await std::move(task);
        self->answer_value(std::move(value));
      }
    } catch (...) {
      self->fail(std::current_exception());
    }
  }

  friend class LiveHandlers;
  Task<> task_;
  HandlerExecution* previous_live_ = nullptr;  // among the coroutines under way
  HandlerExecution* next_live_ = nullptr;
};

/// A Run made of `arguments` and an arrived message, which is moved into it: in the spare room of
/// the message's own buffer where that is large enough, so that a small message allocates nothing.
/// The last argument of its constructor tells it so; it frees itself when it is over.
template <class Run, class... A>
[[nodiscard]] Run* make_run(Messenger& messenger, const ProgramHandler& handler, A&&... arguments,
                            Incoming&& message) {
  void* const room = message.buffer.spare_space(sizeof(Run), alignof(Run));
  if (room == nullptr)
    return new Run(messenger, handler, std::forward<A>(arguments)..., std::move(message), false);
  return ::new (room)
      Run(messenger, handler, std::forward<A>(arguments)..., std::move(message), true);
}

/// An arrived message for a handler of the program that may be a coroutine: the ready item that
/// runs it, and its execution.
class HandlerRun : public HandlerExecution, public exec::ReadyItem {
 public:
  HandlerRun(Messenger& messenger, const ProgramHandler& handler, const ReplyTo& reply_to,
             Incoming&& message, bool is_embedded = false)
      : HandlerExecution(messenger, reply_to),
        handler_(handler),
        message_(std::move(message)),
        is_embedded_(is_embedded) {}
  ~HandlerRun() override = default;
  void finish(exec::Context&) override { end(); }
  void abandon() override { destroy(); }
  void drop() override { destroy(); }
  [[nodiscard]] std::string describe() const override;
  [[nodiscard]] const ProgramHandler& handler() const { return handler_; }
  /// It is work of this epoch, which has taken it in. Before it runs.
  void set_epoch(std::uint64_t epoch) { epoch_ = epoch; }

 protected:
  /// Decodes the message into `arguments` by decode(bytes) and calls Handler with them; a
  /// coroutine's reference parameters refer to them until it ends.
  /// `Read`: a tuple of what decode() reads.
  template <auto Handler, class Read, class Stored, class Decode>
  void run_with(std::optional<Stored>& arguments, exec::Context& context, Decode decode) {
    context.execution = this;
    context.label = handler_.name.text.data();
    using Arguments = typename core::CallableOf<Handler>::Arguments;
    try {
      core::Unpacker bytes(message_.payload());
      if constexpr (core::has_array_parameter<Arguments>)
        bytes.set_attachment(&message_.attachment);
      arguments.emplace(decode(bytes));
      if (bytes.remaining() > 0) core::throw_too_long();
    } catch (...) {
      if constexpr (core::needs_argument_check<Read>) {
        fail_for_arguments(core::argument_check<Read>(),
                           {message_.payload(), message_.attachment.bytes_behind});
      } else {
        reject_arguments();
      }
      context.finished = this;
      return;
    }
    if constexpr (!core::has_view_parameter<Arguments>) {
      if (!is_embedded_) message_.buffer.reset();
    }
    execute(context, [&arguments]() -> typename core::CallableOf<Handler>::Result {
      return core::apply_parameters<Arguments>(Handler, *arguments);
    });
  }

  virtual void destroy() { delete this; }
  /// It is over.
  void end() {
    if (epoch_ != 0) return end_in_epoch();
    destroy();
  }
  void end_in_epoch();

  const ProgramHandler& handler_;
  Incoming message_;
  std::uint64_t epoch_ = 0;
  const bool is_embedded_;
};

template <auto Handler>
class TypedHandlerRun final : public HandlerRun {
 public:
  using HandlerRun::HandlerRun;
  ~TypedHandlerRun() override { end_task(); }
  void run(exec::Context& context) override {
    if (epoch_ == 0)
      return run_with<Handler, Arguments>(arguments_, context, core::unpack_parameters<Arguments>);
    context.epoch = epoch_;
    run_with<Handler, Arguments>(arguments_, context, core::unpack_parameters<Arguments>);
    context.epoch = 0;
  }

 protected:
  void destroy() override {
    if (!is_embedded_) {
      delete this;
      return;
    }
    const core::Buffer own_memory = std::move(message_.buffer);
    this->~TypedHandlerRun();
  }

 private:
  using Arguments = typename core::CallableOf<Handler>::Arguments;
  // A coroutine's reference parameters refer to them until it ends, as spans do.
  std::optional<core::StoredParameters<Arguments>> arguments_;
};

/// An execution on the stack of whoever runs it: for handlers that are no coroutines.
class PassingExecution final : public AnsweringExecution {
 public:
  PassingExecution(Messenger& messenger, const ProgramHandler& handler, const ReplyTo& reply_to)
      : AnsweringExecution(messenger, reply_to), handler_(handler) {}
  /// `payload` as pack_call() has made it.
  template <auto Handler>
  [[gnu::always_inline]] static void run(Messenger& messenger, const ProgramHandler& handler,
                                         Rank source, std::span<const std::byte> payload,
                                         exec::Context& context) {
    using Arguments = typename core::CallableOf<Handler>::Arguments;
    std::uint64_t token = 0;
    if (payload.size() < sizeof token) return messenger.reject(source, "no room for the token");
    std::memcpy(&token, payload.data(), sizeof token);
    PassingExecution self(messenger, handler, {source, token});
    context.execution = &self;
    context.label = handler.name.text.data();
    try {
      auto arguments = decode<Arguments>(payload.subspan(sizeof token));
      self.call_and_answer([&]() -> typename core::CallableOf<Handler>::Result {
        return core::apply_parameters<Arguments>(Handler, arguments);
      });
    } catch (...) {
      if constexpr (core::needs_argument_check<Arguments>) {
        self.fail_for_arguments(core::argument_check<Arguments>(), {payload.subspan(sizeof token)});
      } else {
        self.reject_arguments();
      }
    }
    context.execution = nullptr;
  }
  void finish(exec::Context&) override {}
  [[nodiscard]] std::string describe() const override;

 private:
  template <class Arguments>
  [[nodiscard, gnu::always_inline]] static core::StoredParameters<Arguments> decode(
      std::span<const std::byte> bytes) {
    if constexpr (core::is_plain_tuple<Arguments>) {
      if (bytes.size() == core::plain_tuple_bytes<Arguments>)
        return core::read_plain_tuple<Arguments>(bytes.data());
    }
    return decode_in_steps<Arguments>(bytes);
  }
  template <class Arguments>
  [[nodiscard, gnu::noinline]] static core::StoredParameters<Arguments> decode_in_steps(
      std::span<const std::byte> bytes) {
    core::Unpacker unpacker(bytes);
    auto arguments = core::unpack_parameters<Arguments>(unpacker);
    if (unpacker.remaining() > 0) core::throw_too_long();
    return arguments;
  }

  const ProgramHandler& handler_;
};

/// An arrived message for a handler that is no coroutine: decoded and run on the worker's stack.
template <auto Handler>
class PlainHandlerRun final : public exec::ReadyItem {
 public:
  PlainHandlerRun(Messenger& messenger, const ProgramHandler& handler, Incoming&& message,
                  bool is_embedded)
      : messenger_(messenger),
        handler_(handler),
        buffer_(std::move(message.buffer)),
        offset_(static_cast<std::uint32_t>(message.offset)),
        source_(message.source),
        is_embedded_(is_embedded) {}
  void run(exec::Context& context) override {
    Messenger& messenger = messenger_;
    const ProgramHandler& handler = handler_;
    const Rank source = source_;
    const core::Buffer memory = std::move(buffer_);  // where this lies, perhaps
    const std::span<const std::byte> payload = memory.bytes().subspan(offset_);
    if (!is_embedded_) delete this;
    PassingExecution::run<Handler>(messenger, handler, source, payload, context);
  }
  void drop() override {
    const core::Buffer memory = std::move(buffer_);
    if (!is_embedded_) delete this;
  }

 private:
  Messenger& messenger_;
  const ProgramHandler& handler_;
  core::Buffer buffer_;
  const std::uint32_t offset_;
  const Rank source_;
  const bool is_embedded_;
};

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
