// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "roam/am/detail/handler_execution.hpp"
#include "roam/core/detail/argument_check.hpp"
#include "roam/core/detail/callable.hpp"
#include "roam/core/error.hpp"

namespace roam::am {

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

}  // namespace roam::am
