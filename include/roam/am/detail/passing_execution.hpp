// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "roam/am/detail/answering_execution.hpp"
#include "roam/core/detail/argument_check.hpp"
#include "roam/core/detail/callable.hpp"
#include "roam/core/error.hpp"

namespace roam::am {

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

}  // namespace roam::am
