// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <new>
#include <optional>
#include <string_view>

#include "roam/am/detail/program_handler.hpp"
#include "roam/core/object_id.hpp"
#include "roam/core/serialise.hpp"
#include "roam/mobile/detail/call_header.hpp"
#include "roam/mobile/detail/call_memory.hpp"
#include "roam/mobile/detail/call_queue.hpp"
#include "roam/mobile/object_type.hpp"

namespace roam {

/// @cond
// Deliberately incomplete: the compiler's one-line error names the rule and the types.
template <class Method, class Object>
struct this_method_does_not_belong_to_the_class_of_the_object;
/// @endcond

/// How one call is to be treated; all members are optional.
struct CallOptions {
  /// Urgency among objects with calls that may start: an object with a more urgent call pending
  /// comes first. The calls of one object run in their order regardless (M3, M4).
  Priority priority = Priority::normal;
  /// For awaited calls: if there is no answer after this time, the coroutine that awaits it gets
  /// roam::DeadlineExceeded, and a call that has not started by then is not run if it can still be
  /// stopped. Zero: no deadline.
  Duration deadline{0};
  /// What the call will cost in seconds of one worker, if the program knows; negative: not known,
  /// the cost is measured.
  double cost_seconds = -1;
  /// Expected work relative to other calls, in any unit, for calls whose seconds are not known: the
  /// balancer multiplies it by the seconds per unit that it has measured so far.
  double weight = 1;
};

}  // namespace roam

/// @cond
namespace roam::mobile {

class ObjectSpace;
class Resident;

class Call;

/// A method used in the program as an object handler. Static; constant after static initialisation.
class Method {
 public:
  using FromWire = Call* (*)(ObjectSpace& space, const Method& method, const CallHeader& header,
                             core::Buffer&& message, std::size_t arguments_offset,
                             core::Attachment&& attachment);
  Method(const core::ProgramName& name, const ObjectType* type, bool is_exclusive,
         FromWire from_wire);
  Method(const Method&) = delete;
  Method& operator=(const Method&) = delete;

  /// "&Field::sample"; overloads have equal names. Null-terminated.
  [[nodiscard]] std::string_view name() const { return name_.text; }
  /// The name, with what tells it from other methods of the same name if there are any.
  [[nodiscard]] std::string describe() const;
  [[nodiscard]] const core::ProgramName& program_name() const { return name_; }
  [[nodiscard]] std::uint32_t id() const { return id_; }
  /// The class to which it belongs; nullptr: any class (destroy).
  [[nodiscard]] const ObjectType* type() const { return type_; }
  [[nodiscard]] bool is_exclusive() const { return exclusive_; }
  [[nodiscard]] FromWire from_wire() const { return from_wire_; }
  [[nodiscard]] const Method* next() const { return next_; }
  [[nodiscard]] static const Method* first();

 private:
  core::ProgramName name_;
  std::uint32_t id_;
  const ObjectType* type_;
  bool exclusive_;
  FromWire from_wire_;
  const Method* next_;
};

/// One accepted call on a mobile object: it waits in the object's inbox, moves with the object, and
/// runs once. Stores its arguments as values (if issued on this rank) or as the message in which
/// they came.
class Call : public am::HandlerExecution {
 public:
  Call(ObjectSpace& space, am::Messenger& messenger, const Method& method, const CallHeader& header)
      : HandlerExecution(messenger, header.reply_to()),
        space_(space),
        header_(header),
        method_(method) {}
  ~Call() override {
    if (counts_for_epoch) end_in_epoch();
  }

  /// Runs the method on the object, on this thread.
  virtual void invoke(exec::Context& context, void* object) = 0;
  /// Appends the arguments in the form in which they are sent.
  virtual void pack_arguments(core::Packer& packer) const = 0;
  /// Called if the object has ended before the call could run. Deletes the call.
  virtual void lost_object();

  void finish(exec::Context& context) override;
  void abandon() override;
  void ran(Duration part) override { run_time += part; }
  [[nodiscard]] std::string describe() const override;

  [[nodiscard]] const Method& method() const { return method_; }
  [[nodiscard]] const CallHeader& header() const { return header_; }
  [[nodiscard]] CallHeader& header() { return header_; }

  Call* next = nullptr;           // the next call in the inbox
  Resident* resident = nullptr;   // while running
  Duration run_time{0};           // so far, because coroutines run in several parts
  bool counts_for_epoch = false;  // true: its epoch has counted it, and has to be told of its end

 private:
  void end_in_epoch();

 protected:
  ObjectSpace& space_;
  CallHeader header_;  // between the two references: so no 16 bytes of it lie in two cache lines
  const Method& method_;
};

void CallQueue::push(Call* call) {
  call->next = nullptr;
  (first == nullptr ? first : last->next) = call;
  last = call;
}
void CallQueue::push_front(Call* call) {
  call->next = first;
  first = call;
  if (last == nullptr) last = call;
}
Call* CallQueue::pop() {
  Call* call = first;
  first = call->next;
  if (first == nullptr) last = nullptr;
  return call;
}
void CallQueue::append(CallQueue&& other) {
  if (other.empty()) return;
  (first == nullptr ? first : last->next) = other.first;
  last = other.last;
  other.first = other.last = nullptr;
}

namespace detail {

/// Class, constness, arguments and result of a handler `R (T::*)(A...) [const]`, `R (*)(T&, A...)`
/// or `R (*)(const T&, A...)`.
template <class F>
struct MethodTraits : core::Callable<F> {
  using Object = typename core::Callable<F>::Class;
  static constexpr bool is_exclusive = !core::Callable<F>::is_const;
};
template <class R, class T, class... A>
struct MethodTraits<R (*)(T&, A...)> : core::ParametersOf<A...> {
  using Object = std::remove_const_t<T>;
  using Result = R;
  static constexpr bool is_exclusive = !std::is_const_v<T>;
};
/// True if F is a method of T itself: the runtime knows objects by their own class, not by its
/// bases.
template <auto F, class T>
inline constexpr bool is_method_of =
    std::is_same_v<typename MethodTraits<std::remove_cv_t<decltype(F)>>::Object, T>;

/// For methods, and for functions whose first parameter is the object: true if a parameter is a
/// reference to something that is not const.
template <class F>
inline constexpr bool has_mutable_reference = false;
template <class R, class C, class... A>
inline constexpr bool has_mutable_reference<R (C::*)(A...)> =
    (core::detail::is_mutable_reference<A> || ...);
template <class R, class C, class... A>
inline constexpr bool has_mutable_reference<R (C::*)(A...) const> =
    has_mutable_reference<R (C::*)(A...)>;
template <class R, class C, class... A>
inline constexpr bool has_mutable_reference<R (C::*)(A...) noexcept> =
    has_mutable_reference<R (C::*)(A...)>;
template <class R, class C, class... A>
inline constexpr bool has_mutable_reference<R (C::*)(A...) const noexcept> =
    has_mutable_reference<R (C::*)(A...)>;
template <class R, class T, class... A>
inline constexpr bool has_mutable_reference<R (*)(T&, A...)> =
    (core::detail::is_mutable_reference<A> || ...);

/// True if F can run on an object of class T. If it is false, explain_handler<F, T>() says why, by
/// a single compile error.
template <auto F, class T>
inline constexpr bool can_run_on = [] {
  using Handler = std::remove_cv_t<decltype(F)>;
  if constexpr (!core::is_function_or_method<Handler> || has_mutable_reference<Handler>) {
    return false;
  } else {
    return is_method_of<F, T>;
  }
}();
template <auto F, class T>
constexpr void explain_handler() {
  using Handler = std::remove_cv_t<decltype(F)>;
  if constexpr (!core::is_function_or_method<Handler> || has_mutable_reference<Handler>) {
    (void)sizeof(core::Callable<Handler>);
  } else {
    (void)sizeof(this_method_does_not_belong_to_the_class_of_the_object<Handler, T>);
  }
}

template <auto F>
using TraitsOf = MethodTraits<std::remove_cv_t<decltype(F)>>;
template <auto F>
using StoredArgumentsOf = core::StoredParameters<typename TraitsOf<F>::Arguments>;

// Handlers may take types of anonymous namespaces. Each source file then has calls of its own, as
// intended.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#pragma GCC diagnostic ignored "-Wsubobject-linkage"
template <auto F>
auto apply_method(void* object, StoredArgumentsOf<F>& arguments) -> typename TraitsOf<F>::Result {
  using Traits = TraitsOf<F>;
  using Target = std::conditional_t<Traits::is_exclusive, typename Traits::Object,
                                    const typename Traits::Object>;
  auto& target = *static_cast<Target*>(object);
  const auto invoke = [&](auto&&... values) -> decltype(auto) {
    return std::invoke(F, target, std::forward<decltype(values)>(values)...);
  };
  return core::apply_parameters<typename Traits::Arguments>(invoke, arguments);
}

/// A call with its arguments stored as values. Lies in a block of the space's CallMemory.
template <auto F>
class LocalCall final : public Call {
 public:
  using Arguments = typename TraitsOf<F>::Arguments;
  template <class... Rest>
  [[nodiscard]] static LocalCall* create(CallMemory& memory, Rest&&... rest) {
    void* const place = memory.take<LocalCall>();
    try {
      return ::new (place) LocalCall(memory, std::forward<Rest>(rest)...);
    } catch (...) {
      memory.give_back<LocalCall>(place);
      throw;
    }
  }
  static void operator delete(LocalCall* call, std::destroying_delete_t) {
    CallMemory& memory = call->memory_;
    call->~LocalCall();
    memory.give_back<LocalCall>(call);
  }
  template <class... A>
  LocalCall(CallMemory& memory, ObjectSpace& space, am::Messenger& messenger, const Method& method,
            const CallHeader& header, A&&... arguments)
      : LocalCall(std::type_identity<Arguments>{}, memory, space, messenger, method, header,
                  std::forward<A>(arguments)...) {}
  ~LocalCall() override { end_task(); }
  void invoke(exec::Context& context, void* object) override {
    execute(context,
            [&]() -> typename TraitsOf<F>::Result { return apply_method<F>(object, arguments_); });
  }
  void pack_arguments(core::Packer& packer) const override {
    std::apply(
        [&](const auto&... values) {
          core::pack_parameters(std::type_identity<Arguments>{}, packer, nullptr, values...);
        },
        arguments_);
  }

 private:
  template <class... P, class... A>
  LocalCall(std::type_identity<std::tuple<P...>>, CallMemory& memory, ObjectSpace& space,
            am::Messenger& messenger, const Method& method, const CallHeader& header,
            A&&... arguments)
      : Call(space, messenger, method, header),
        memory_(memory),
        arguments_(core::store_argument<P>(std::forward<A>(arguments))...) {}

  CallMemory& memory_;
  StoredArgumentsOf<F> arguments_;
};
/// A call whose arguments are still in the message; they are decoded when it runs.
template <auto F>
class WireCall final : public Call {
 public:
  template <class... Rest>
  [[nodiscard]] static WireCall* create(CallMemory& memory, Rest&&... rest) {
    return ::new (memory.take<WireCall>()) WireCall(memory, std::forward<Rest>(rest)...);
  }
  static void operator delete(WireCall* call, std::destroying_delete_t) {
    CallMemory& memory = call->memory_;
    am::Messenger& messenger = call->messenger();
    core::Buffer message = std::move(call->message_);  // a coroutine may use it to its end
    call->~WireCall();
    if (message) messenger.recycle(std::move(message));
    memory.give_back<WireCall>(call);
  }
  WireCall(CallMemory& memory, ObjectSpace& space, am::Messenger& messenger, const Method& method,
           const CallHeader& header, core::Buffer&& message, std::size_t offset,
           core::Attachment&& attachment) noexcept
      : Call(space, messenger, method, header),
        memory_(memory),
        message_(std::move(message)),
        offset_(offset),
        attachment_(std::move(attachment)) {}
  ~WireCall() override { end_task(); }
  void invoke(exec::Context& context, void* object) override {
    try {
      unpack_arguments();
    } catch (...) {
      if constexpr (core::needs_argument_check<Arguments>) {
        fail_for_arguments(core::argument_check<Arguments>(),
                           {message_.bytes().subspan(offset_), attachment_.bytes_behind});
      } else {
        reject_arguments();
      }
      context.finished = this;
      return;
    }
    am::Messenger& its = messenger();
    core::Buffer message;
    // A short message is recycled only after the method, so that what the method sends need not
    // wait for that. The memory of a long one is freed before, so that it is not held besides its
    // arguments.
    if constexpr (!core::has_view_parameter<Arguments>) {
      if (message_.capacity() > longest_kept) {
        its.recycle(std::move(message_));
      } else {
        message = std::move(message_);
      }
    }
    execute(context,
            [&]() -> typename TraitsOf<F>::Result { return apply_method<F>(object, *arguments_); });
    // Not the member: a coroutine may have ended the call.
    if (message) its.recycle(std::move(message));
  }
  void pack_arguments(core::Packer& packer) const override {
    core::write_whole(packer, message_.bytes().subspan(offset_), attachment_);
  }

 private:
  using Arguments = typename TraitsOf<F>::Arguments;
  // Bytes of a message that is held while the method runs.
  static constexpr std::size_t longest_kept = 2048;
  void unpack_arguments() {
    const std::span<const std::byte> bytes = message_.bytes().subspan(offset_);
    if constexpr (core::is_plain_tuple<Arguments>) {
      if (bytes.size() == core::plain_tuple_bytes<Arguments>) [[likely]] {
        arguments_.emplace(core::read_plain_tuple<Arguments>(bytes.data()));
        return;
      }
    }
    core::Unpacker unpacker(bytes);
    unpacker.set_attachment(&attachment_);
    arguments_.emplace(core::unpack_parameters<Arguments>(unpacker));
    if (unpacker.remaining() > 0) core::throw_too_long();
  }
  CallMemory& memory_;
  core::Buffer message_;
  std::size_t offset_;
  core::Attachment attachment_;
  // The reference parameters of a coroutine, and spans, refer to them until it ends.
  std::optional<StoredArgumentsOf<F>> arguments_;
};

#pragma GCC diagnostic pop

template <auto F>
Call* make_wire_call(ObjectSpace& space, const Method& method, const CallHeader& header,
                     core::Buffer&& message, std::size_t offset, core::Attachment&& attachment);

template <auto F>
inline const Method method_instance{core::program_name_of_value<F>(),
                                    &object_type<typename TraitsOf<F>::Object>(),
                                    TraitsOf<F>::is_exclusive, &make_wire_call<F>};

}  // namespace detail
}  // namespace roam::mobile
/// @endcond
