// SPDX-License-Identifier: Apache-2.0
#pragma once

// The template part of Messenger: how a function named in the program becomes a handler.
#include <optional>
#include <tuple>
#include <type_traits>

#include "roam/am/messenger.hpp"
#include "roam/core/callable.hpp"
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

/// One execution of any handler: runs it, keeps its coroutine, answers its caller, reports its
/// failure.
class HandlerExecution : public exec::Execution {
 public:
  HandlerExecution(Messenger& messenger, const ReplyTo& reply_to)
      : messenger_(messenger), reply_to_(reply_to) {}
  HandlerExecution(const HandlerExecution&) = delete;
  HandlerExecution& operator=(const HandlerExecution&) = delete;

  /// The job ends while its coroutine is suspended: frees itself.
  virtual void abandon() = 0;

 protected:
  ~HandlerExecution() { end_task(); }
  /// Calls `call()`; answers with its result now, or when its coroutine ends. Marks the context
  /// when it is over.
  template <class Call>
  void execute(exec::Context& context, Call&& call) {
    using R = std::invoke_result_t<Call>;
    try {
      if constexpr (exec::is_task<R>) {
        task_ = drive(this, std::forward<Call>(call)());
        messenger_.keep_alive(this);
        task_.start(this);
        return;
      } else if constexpr (std::is_void_v<R>) {
        std::forward<Call>(call)();
        messenger_.answer(reply_to_);
      } else {
        answer_value(std::forward<Call>(call)());
      }
    } catch (...) {
      fail(std::current_exception());
    }
    context.finished = this;
  }
  [[nodiscard]] Messenger& messenger() const { return messenger_; }
  /// Frees its coroutine, if it has one: before what the coroutine refers to is freed.
  void end_task() {
    if (task_) messenger_.let_go(this);
    task_ = {};
  }
  /// The arguments that came do not decode: counted, and whoever waits is told (A7).
  void reject_arguments(const MalformedMessage& error);
  /// Tells whoever waits - or the job - that the handler threw.
  void fail(const std::exception_ptr& error);

 private:
  template <class R>
  static Task<> drive(HandlerExecution* self, Task<R> task) {
    try {
      if constexpr (std::is_void_v<R>) {
        co_await std::move(task);
        self->messenger_.answer(self->reply_to_);
      } else {
        R value = co_await std::move(task);
        self->answer_value(value);
      }
    } catch (...) {
      self->fail(std::current_exception());
    }
  }
  template <class V>
  void answer_value(const V& value) {
    if (reply_to_) messenger_.answer(reply_to_, value);
  }

  friend class Messenger;
  Messenger& messenger_;
  ReplyTo reply_to_;
  Task<> task_;
  HandlerExecution* previous_live_ = nullptr;  // the messenger's list of coroutines
  HandlerExecution* next_live_ = nullptr;
};

/// An arrived message for a program handler: the ready item that runs it, and its execution. Lies
/// in the spare room of the message's own buffer where that is large enough, so that a small
/// message allocates nothing.
class HandlerRun : public HandlerExecution, public exec::ReadyItem {
 public:
  HandlerRun(Messenger& messenger, const ProgramHandler& handler, const ReplyTo& reply_to,
             Incoming&& message)
      : HandlerExecution(messenger, reply_to), handler_(handler), message_(std::move(message)) {}
  /// A Run, which frees itself when it is over.
  template <class Run>
  [[nodiscard]] static HandlerRun* create(Messenger& messenger, const ProgramHandler& handler,
                                          const ReplyTo& reply_to, Incoming&& message) {
    void* const room = message.buffer.spare_room(sizeof(Run), alignof(Run));
    if (room == nullptr) return new Run(messenger, handler, reply_to, std::move(message));
    auto* run = ::new (room) Run(messenger, handler, reply_to, std::move(message));
    run->is_embedded_ = true;
    return run;
  }
  virtual ~HandlerRun() = default;
  void finish(exec::Context&) override { destroy(); }
  void abandon() override { destroy(); }
  void drop() override { destroy(); }
  [[nodiscard]] std::string describe() const override;
  [[nodiscard]] const ProgramHandler& handler() const { return handler_; }

 protected:
  /// Decodes the message into `arguments` by decode(bytes) and calls Handler with them; a
  /// coroutine's reference parameters refer to them until it ends.
  template <auto Handler, class Arguments, class Decode>
  void run_with(std::optional<Arguments>& arguments, exec::Context& context, Decode decode) {
    context.execution = this;
    context.label = handler_.name.data();
    try {
      core::Unpacker bytes(message_.payload());
      arguments.emplace(decode(bytes));
      if (bytes.remaining() > 0) throw MalformedMessage("the message is longer than the arguments");
    } catch (const MalformedMessage& error) {
      reject_arguments(error);
      context.finished = this;
      return;
    }
    if (!is_embedded_) message_.buffer.reset();
    execute(context, [&arguments]() -> typename core::CallableOf<Handler>::Result {
      return std::apply(Handler, std::move(*arguments));
    });
  }

  virtual void destroy() { delete this; }

  const ProgramHandler& handler_;
  Incoming message_;
  bool is_embedded_ = false;
};

template <auto Handler>
class TypedHandlerRun final : public HandlerRun {
 public:
  using HandlerRun::HandlerRun;
  ~TypedHandlerRun() override { end_task(); }
  void run(exec::Context& context) override {
    run_with<Handler>(arguments_, context, core::unpack_tuple<Arguments>);
  }
  void finish(exec::Context&) override { destroy(); }

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
  std::optional<Arguments>
      arguments_;  // a coroutine's reference parameters refer to them until it ends
};

template <auto Handler>
void Messenger::dispatch_program(Messenger& self, const ProgramHandler& handler,
                                 Incoming&& message) {
  ReplyTo reply_to{message.source, 0};
  core::Unpacker(message.payload()).read(&reply_to.token, sizeof reply_to.token);
  message.offset += sizeof reply_to.token;
  const Rank source = message.source;
  self.run_in_source_order(source, HandlerRun::create<TypedHandlerRun<Handler>>(
                                       self, handler, reply_to, std::move(message)));
}

/// An execution on the stack of whoever runs it: for handlers that are no coroutines.
class PassingExecution final : public HandlerExecution {
 public:
  PassingExecution(Messenger& messenger, const ProgramHandler& handler, const ReplyTo& reply_to)
      : HandlerExecution(messenger, reply_to), handler_(handler) {}
  template <auto Handler>
  void run(core::Unpacker& bytes, exec::Context& context) {
    using Arguments = typename core::CallableOf<Handler>::Arguments;
    try {
      Arguments arguments = core::unpack_tuple<Arguments>(bytes);
      if (bytes.remaining() > 0) throw MalformedMessage("the message is longer than the arguments");
      execute(context, [&]() -> typename core::CallableOf<Handler>::Result {
        return std::apply(Handler, std::move(arguments));
      });
    } catch (const MalformedMessage& error) {
      reject_arguments(error);
    }
  }
  void finish(exec::Context&) override {}
  void abandon() override {}
  [[nodiscard]] std::string describe() const override;

 private:
  const ProgramHandler& handler_;
};

template <auto Handler>
void Messenger::run_in_place(Messenger& self, const ProgramHandler& handler, Rank source,
                             std::span<const std::byte> payload, exec::Context& context) {
  core::Unpacker bytes(payload);
  ReplyTo reply_to{source, 0};
  context.label = handler.name.data();
  try {
    bytes.read(&reply_to.token, sizeof reply_to.token);
  } catch (const MalformedMessage& error) {
    return self.reject(source, error.what());
  }
  if constexpr (exec::is_task<typename core::CallableOf<Handler>::Result>) {
    Incoming message{source, self.unpack_entry(payload), payload_offset, true};
    message.offset += sizeof reply_to.token;
    HandlerRun* run =
        HandlerRun::create<TypedHandlerRun<Handler>>(self, handler, reply_to, std::move(message));
    run->run(context);
    if (context.finished != nullptr) std::exchange(context.finished, nullptr)->finish(context);
  } else {
    PassingExecution execution(self, handler, reply_to);
    context.execution = &execution;
    execution.run<Handler>(bytes, context);
    context.finished = nullptr;
  }
}

/// Brings a handler into the table by being mentioned.
template <auto Handler, auto Dispatch, auto RunInPlace>
inline const ProgramHandlerRegistrar program_handler_registrar{
    {core::value_name<Handler>(), Dispatch, RunInPlace}};

template <auto Handler>
inline constexpr std::uint32_t program_handler_id = handler_id(core::value_name<Handler>());

namespace detail {
template <auto Handler, class... A>
void pack_arguments(core::Packer& packer, const A&... arguments) {
  using Parameters = typename core::CallableOf<Handler>::Arguments;
  if constexpr (!core::is_tuple_makeable_from<Parameters, A...>) {
    (void)sizeof(
        these_arguments_do_not_match_the_parameters_of_the_handler<decltype(Handler), A...>);
  } else {
    core::pack_tuple_as(std::type_identity<Parameters>{}, packer, arguments...);
  }
}
}  // namespace detail

template <auto Handler, class... A>
void Messenger::send(Rank destination, const A&... arguments) {
  static_cast<void>(
      program_handler_registrar<Handler, &Messenger::dispatch_program<Handler>,
                                &Messenger::run_in_place<Handler>>.handler());
  core::Packer packer = begin();
  core::pack(packer, std::uint64_t{0});
  detail::pack_arguments<Handler>(packer, arguments...);
  post(destination, program_handler_id<Handler>, std::move(packer), true);
}

template <auto Handler, class... A>
auto Messenger::request(Rank destination, const A&... arguments) {
  using R = ResultOf<typename core::CallableOf<Handler>::Result>;
  const auto& registrar = program_handler_registrar<Handler, &Messenger::dispatch_program<Handler>,
                                                    &Messenger::run_in_place<Handler>>;
  core::Packer packer = begin();
  auto [pending, reply_to] = expect_reply(registrar.handler().name.data(), ObjectId());
  Reply<R> reply(pending);
  core::pack(packer, reply_to.token);
  detail::pack_arguments<Handler>(packer, arguments...);
  post(destination, program_handler_id<Handler>, std::move(packer), true);
  return reply;
}

template <class... T>
void Messenger::answer(const ReplyTo& to, const T&... values) {
  if (!to) return;
  core::Packer packer = begin();
  core::pack(packer, to.token, static_cast<std::uint8_t>(ReplyStatus::value));
  core::pack(packer, values...);
  constexpr std::uint32_t reply = handler_id("roam.reply");
  post(to.rank, reply, std::move(packer), true);
}

}  // namespace am
}  // namespace roam
