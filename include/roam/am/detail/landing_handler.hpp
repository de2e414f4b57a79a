// SPDX-License-Identifier: Apache-2.0
#pragma once

// Handlers that run on data that has arrived in a region (DMCS put_op and get_op):
// Handler(std::span<T>, args...).
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "roam/am/detail/program_handler.hpp"
#include "roam/am/detail/region_pin.hpp"
#include "roam/core/detail/callable.hpp"

namespace roam {

// Deliberately incomplete: the compiler's one-line error names the rule and the types.
template <class Handler, class Element>
struct this_handler_must_take_a_std_span_of_the_element_first;

namespace am {

class RemoteMemory;

namespace detail {

template <class Tuple>
struct LandingParameters {};  // not a handler of such data
template <class T, class... A>
struct LandingParameters<std::tuple<std::span<T>, A...>> {
  using Element = T;
  using Rest = std::tuple<A...>;
};
template <auto Handler>
using LandingParametersOf = LandingParameters<typename core::CallableOf<Handler>::Arguments>;
template <auto Handler>
using LandingElement = typename LandingParametersOf<Handler>::Element;
template <auto Handler>
using LandingArguments = typename LandingParametersOf<Handler>::Rest;

/// True if Handler's first parameter is a span of elements of type T.
template <auto Handler, class T>
inline constexpr bool takes_elements = [] {
  if constexpr (!requires { typename LandingElement<Handler>; }) {
    return false;
  } else {
    return std::is_same_v<std::remove_const_t<LandingElement<Handler>>, T>;
  }
}();
/// True if Handler takes elements of type T and then A...
template <auto Handler, class T, class... A>
inline constexpr bool takes_landed = [] {
  if constexpr (!takes_elements<Handler, T>) {
    return false;
  } else {
    return core::is_tuple_makeable_from<LandingArguments<Handler>, A...>;
  }
}();
/// Says by a single compile error why it does not.
template <auto Handler, class T, class... A>
constexpr void explain_landing() {
  if constexpr (!takes_elements<Handler, T>) {
    (void)sizeof(this_handler_must_take_a_std_span_of_the_element_first<decltype(Handler), T>);
  } else {
    (void)sizeof(
        these_arguments_do_not_match_the_parameters_of_the_handler<decltype(Handler), A...>);
  }
}

/// The bytes as the span that the handler takes.
template <auto Handler>
[[nodiscard]] std::span<LandingElement<Handler>> elements(std::span<std::byte> bytes) {
  using T = LandingElement<Handler>;
  return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}

}  // namespace detail

/// The handler of a put_op that is about to run at the target. It pins the region until the handler
/// has ended.
template <auto Handler>
class PutOpRun final : public HandlerRun {
 public:
  PutOpRun(Messenger& messenger, const ProgramHandler& handler, Incoming&& message, RegionPin&& pin)
      : HandlerRun(messenger, handler, {message.source, 0}, std::move(message)),
        pin_(std::move(pin)) {}
  ~PutOpRun() override { end_task(); }
  void run(exec::Context& context) override {
    using Rest = detail::LandingArguments<Handler>;
    run_with<Handler, Rest>(arguments_, context, [this](core::Unpacker& bytes) {
      return std::tuple_cat(std::tuple(detail::elements<Handler>(pin_.memory())),
                            core::unpack_tuple<Rest>(bytes));
    });
  }
  [[nodiscard]] std::string describe() const override {
    return "put_op handler " + std::string(core::value_name<Handler>());
  }

 private:
  RegionPin pin_;
  // The reference parameters of a coroutine refer to them until it ends.
  std::optional<typename core::CallableOf<Handler>::Arguments> arguments_;
};

/// Checks, locates and pins the memory that a put_op's message names.
[[nodiscard]] RegionPin landed_memory(Messenger& messenger, Incoming& message,
                                      std::size_t element_bytes, std::size_t alignment);

template <auto Handler>
void dispatch_put_op(Messenger& messenger, const ProgramHandler& handler, Incoming&& message) {
  using T = detail::LandingElement<Handler>;
  RegionPin pin = landed_memory(messenger, message, sizeof(T), alignof(T));
  const Rank source = message.source;
  messenger.dispatcher().run_in_source_order(
      source, new PutOpRun<Handler>(messenger, handler, std::move(message), std::move(pin)));
}

/// Names a put_op's handler in the table, so that it differs from the same function as a plain
/// handler.
template <auto Handler>
struct PutOp;
/// Enters the handler into the table if the program mentions this variable.
template <auto Handler>
inline const ProgramHandlerRegistrar put_op_registrar{
    {{core::value_name<Handler>(), core::type_symbol<PutOp<Handler>>()},
     &dispatch_put_op<Handler>}};

/// The handler of a get_op, at the rank that asked; it waits with its arguments for the data.
template <auto Handler>
class GetOpRun final : public HandlerExecution, public exec::ReadyItem {
 public:
  template <class... A>
  GetOpRun(Messenger& messenger, std::span<detail::LandingElement<Handler>> landed,
           A&&... arguments)
      : HandlerExecution(messenger, {}), arguments_(landed, std::forward<A>(arguments)...) {}
  ~GetOpRun() override { end_task(); }
  void run(exec::Context& context) override {
    context.execution = this;
    context.label = core::value_name<Handler>().data();
    execute(context, [this]() -> typename core::CallableOf<Handler>::Result {
      return std::apply(Handler, std::move(arguments_));
    });
  }
  void drop() override { delete this; }
  void finish(exec::Context&) override { delete this; }
  void abandon() override { delete this; }
  [[nodiscard]] std::string describe() const override {
    return "get_op handler " + std::string(core::value_name<Handler>());
  }

 private:
  typename core::CallableOf<Handler>::Arguments arguments_;
};

namespace detail {
template <auto Handler, class T, class... A>
[[nodiscard]] exec::ReadyItem* make_get_op_run(Messenger& messenger, std::span<T> landed,
                                               A&&... arguments) {
  if constexpr (takes_landed<Handler, T, A...>) {
    return new GetOpRun<Handler>(messenger, landed, std::forward<A>(arguments)...);
  } else {
    explain_landing<Handler, T, A...>();
    return nullptr;
  }
}
}  // namespace detail

}  // namespace am
}  // namespace roam
