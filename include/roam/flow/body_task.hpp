// SPDX-License-Identifier: Apache-2.0
#pragma once

// Makes a task from a function and the arguments of work(): the code that is compiled for each
// body.
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "roam/core/detail/serialisable.hpp"
#include "roam/core/detail/type_name.hpp"
#include "roam/exec/task.hpp"
#include "roam/flow/effects.hpp"
#include "roam/flow/handle.hpp"

namespace roam::flow {

class Flow;
template <class T, int D>
class ElementArgument;
template <int D>
struct IndexArgument;

/// A function of the program as the body of a task: `fl.work(flow::fn<&relax>, u, rim)`.
template <auto F>
struct Function {
  template <class... A>
  void operator()(A&&... arguments) const {
    F(std::forward<A>(arguments)...);
  }
};
/// The function F as the body of a task.
template <auto F>
inline constexpr Function<F> fn{};

namespace detail {

template <class... T>
struct TypeList {
  static constexpr std::size_t size = sizeof...(T);
};

// --- what the body is ---

template <class Signature>
struct SignatureOf;
template <class R, class... P>
struct SignatureOf<R (*)(P...)> {
  using Result = R;
  using Parameters = TypeList<P...>;
};
template <class R, class... P>
struct SignatureOf<R (*)(P...) noexcept> : SignatureOf<R (*)(P...)> {};
template <class C, class R, class... P>
struct SignatureOf<R (C::*)(P...) const> : SignatureOf<R (*)(P...)> {};
template <class C, class R, class... P>
struct SignatureOf<R (C::*)(P...)> : SignatureOf<R (*)(P...)> {};
template <class C, class R, class... P>
struct SignatureOf<R (C::*)(P...) const noexcept> : SignatureOf<R (*)(P...)> {};

/// The function that is called, with its parameters; `name`: for reports.
template <class F>
struct Body {
  static constexpr bool is_known = false;
};
template <class F>
  requires requires { &F::operator(); }
struct Body<F> : SignatureOf<decltype(&F::operator())> {
  static constexpr bool is_known = true;
  static constexpr const char* name = "task";
};
template <auto Called>
struct Body<Function<Called>> : SignatureOf<std::remove_cv_t<decltype(Called)>> {
  static constexpr bool is_known = true;
  static constexpr const char* name = core::value_name<Called>().data();
};

// --- what an argument is ---

/// A datum that a task uses; `instance`: used in place of the newest version.
struct DatumArgument {
  Datum* datum = nullptr;
  Instance* instance = nullptr;
};

template <class A>
struct ArgumentTraits {
  static constexpr bool is_datum = false;
};
template <class T>
struct ArgumentTraits<Handle<T>> {
  static constexpr bool is_datum = true;
  static constexpr bool may_write = !std::is_const_v<T>;
  using Value = std::remove_const_t<T>;
  [[nodiscard]] static DatumArgument datum(const Handle<T>& handle) { return {handle.datum()}; }
};
template <class A>
inline constexpr bool is_datum = ArgumentTraits<std::remove_cvref_t<A>>::is_datum;

/// How the task uses a datum, according to the parameter that it is given to. (For a parameter that
/// cannot be given a datum, `fits` is false.)
template <class P>
struct DatumParameter {
  static constexpr bool fits = false;
};
template <class T>
struct DatumParameter<const T&> {
  static constexpr bool fits = true;
  static constexpr Effect effect = Effect::read;
  using Value = T;
};
template <class T>
  requires(!std::is_reference_v<T>)
struct DatumParameter<T> : DatumParameter<const T&> {};
template <class T>
  requires(!std::is_const_v<T>)
struct DatumParameter<T&> {
  static constexpr bool fits = true;
  static constexpr Effect effect = Effect::modify;
  using Value = T;
};
template <class T>
struct DatumParameter<Out<T>> {
  static constexpr bool fits = true;
  static constexpr Effect effect = Effect::overwrite;
  using Value = T;
};
template <class T>
struct DatumParameter<Commute<T>> {
  static constexpr bool fits = true;
  static constexpr Effect effect = Effect::commute;
  using Value = T;
};
template <class T, class Op>
struct DatumParameter<Reduce<T, Op>> {
  static constexpr bool fits = true;
  static constexpr Effect effect = Effect::overwrite;
  using Value = T;
};
template <class T, class Op>
struct DatumParameter<Accumulate<T, Op>> {
  static constexpr bool fits = true;
  static constexpr Effect effect = Effect::accumulate;
  using Value = T;
  using Contribution = PartialOf<T, Op>;
};
template <class T>
struct DatumParameter<Handle<T>> {
  static constexpr bool fits = true;
  static constexpr Effect effect = std::is_const_v<T> ? Effect::schedule_read : Effect::schedule;
  using Value = std::remove_const_t<T>;
};

// --- what a task stores for a parameter, and what the body is given ---

/// Where the body of a task collects what it contributes.
template <class P>
struct SumOf {
  struct Type {};
};
template <class T, class Op>
struct SumOf<Reduce<T, Op>> {
  using Type = std::optional<T>;
};
template <class T, class Op>
struct SumOf<Accumulate<T, Op>> {
  using Type = PartialOf<T, Op>*;
};

/// Stores a datum for a parameter.
template <class P>
class DatumSlot {
 public:
  using Parameter = DatumParameter<P>;
  using Value = typename Parameter::Value;
  static constexpr Effect effect = Parameter::effect;
  static constexpr std::size_t accesses = 1;
  static constexpr bool has_children =
      effect == Effect::schedule || effect == Effect::schedule_read;

  explicit DatumSlot(const DatumArgument& /*argument*/) {}
  void fail(const FailureRef& /*failure*/) {}
  static void prepare(Access* access, const DatumArgument& argument) {
    if (argument.instance != nullptr) {
      access->instance = argument.instance;
      access->has_instance = true;
    } else {
      access->datum = argument.datum;
    }
    access->effect = effect;
    if constexpr (effect == Effect::accumulate)
      access->partial = new typename Parameter::Contribution;
  }

  /// The argument that the body is given; exists while the body runs.
  class Given {
   public:
    template <class Task>
    Given(Task& task, DatumSlot& /*slot*/, Access* access) : instance_(*access->instance) {
      if constexpr (has_children) {
        handle_ = P(task.lend(*access, &make_instance<Value>));
      } else if constexpr (effect == Effect::accumulate) {
        sum_ = static_cast<typename Parameter::Contribution*>(access->partial);
      } else if constexpr (std::is_same_v<P, Out<Value>>) {
        instance_.renew();
      }
    }
    [[nodiscard]] decltype(auto) get() {
      if constexpr (has_children) {
        return P(handle_);
      } else if constexpr (effect == Effect::accumulate) {
        return P(sum_->sum);
      } else if constexpr (is_reduced) {
        return P(sum_);
      } else if constexpr (effect == Effect::read) {
        return *static_cast<const Value*>(instance_.value());
      } else if constexpr (effect == Effect::modify) {
        return *static_cast<Value*>(instance_.value());
      } else {
        return P(*static_cast<Value*>(instance_.value()));
      }
    }
    /// Called when the body has returned.
    void finish() {
      if constexpr (is_reduced) {
        auto& instance = static_cast<InstanceOf<Value>&>(instance_);
        if (sum_) {
          instance.emplace(std::move(*sum_));
        } else {
          instance.clear();
          if constexpr (is_counted<Value>) instance.note_value();
        }
      } else if constexpr (is_counted<Value> && effect == Effect::accumulate) {
        sum_->hold(instance_.core());
      } else if constexpr (is_counted<Value> && writes(effect) && !has_children) {
        static_cast<InstanceOf<Value>&>(instance_).note_value();
      }
    }

   private:
    struct Nothing {};
    static constexpr bool is_reduced =
        effect == Effect::overwrite && !std::is_same_v<P, Out<Value>>;
    Instance& instance_;
    typename SumOf<P>::Type sum_{};
    std::conditional_t<has_children, P, Nothing> handle_;
  };
};

/// Stores a value for a parameter.
template <class P>
class ValueSlot {
 public:
  using Value = std::decay_t<P>;
  static constexpr std::size_t accesses = 0;
  static constexpr bool has_children = false;

  template <class A>
    requires(!std::is_same_v<std::remove_cvref_t<A>, ValueSlot>)
  // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): it does not know `requires`
  explicit ValueSlot(A&& argument) : value_(std::forward<A>(argument)) {}
  template <class A>
  static void prepare(Access* /*none*/, const A& /*argument*/) {}
  void fail(const FailureRef& /*failure*/) {}
  /// The bytes that the value keeps as long as the task exists.
  [[nodiscard]] std::int64_t memory(Core& core) const requires(is_counted<Value>) {
    return measure(core, value_);
  }

  class Given {
   public:
    template <class Task>
    Given(Task& /*task*/, ValueSlot& slot, Access* /*none*/) : value_(slot.value_) {}
    [[nodiscard]] const Value& get() { return value_; }
    void finish() {}

   private:
    const Value& value_;
  };

 private:
  Value value_;
};

/// Stands for the parameter Flow&, through which a task issues others.
class FlowSlot {
 public:
  static constexpr std::size_t accesses = 0;
  static constexpr bool has_children = true;
  explicit FlowSlot(std::nullptr_t /*nothing*/) {}
  void fail(const FailureRef& /*failure*/) {}
  static void prepare(Access* /*none*/, std::nullptr_t /*nothing*/) {}
  class Given;
};

template <class S>
concept HoldsMemory = requires(const S& slot, Core& core) {
  slot.memory(core);
};

template <class F, class... S>
using TaskBase = std::conditional_t<(S::has_children || ...), ParentTask, TaskRecord>;

/// A task that calls F() with what its slots provide.
template <class F, class... S>
class BodyTask : public TaskBase<F, S...> {
  using Base = TaskBase<F, S...>;
  static constexpr std::size_t count = (S::accesses + ... + 0);

 public:
  template <class... A>
  BodyTask(Scope& scope, const char* name, const SourceLine& where, A&&... arguments)
      : Base(scope, name, where), slots_{S(std::forward<A>(arguments))...} {
    std::size_t next = 0;
    ((S::prepare(accesses_ + next, arguments), next += S::accesses), ...);
    this->set_accesses(accesses_, count);
    if constexpr (holds_memory) {
      Core& core = scope.core();
      held_.set(core, std::apply([&](const S&... slots) { return (0 + ... + bytes_of(slots, core)); },
                                 slots_));
    }
  }

  void call() override { call(std::index_sequence_for<S...>{}); }
  void cannot_run(const FailureRef& failure) override {
    std::apply([&](S&... slots) { (slots.fail(failure), ...); }, slots_);
  }

 protected:
  template <std::size_t... I>
  void call(std::index_sequence<I...>) {
    [&](typename S::Given&&... given) {
      F()(given.get()...);
      (given.finish(), ...);
    }(typename S::Given(*this, std::get<I>(slots_), accesses_ + first_access(I))...);
  }

 private:
  [[nodiscard]] static constexpr std::size_t first_access(std::size_t slot) {
    constexpr std::size_t counts[] = {S::accesses..., 0};
    std::size_t first = 0;
    for (std::size_t i = 0; i < slot; ++i) first += counts[i];
    return first;
  }

  static constexpr bool holds_memory = (HoldsMemory<S> || ...);
  template <class Slot>
  [[nodiscard]] static std::int64_t bytes_of(const Slot& slot, Core& core) {
    if constexpr (HoldsMemory<Slot>) {
      return slot.memory(core);
    } else {
      return 0;
    }
  }
  struct Nothing {};

  [[no_unique_address]] std::conditional_t<holds_memory, HeldBytes, Nothing> held_;
  [[no_unique_address]] std::tuple<S...> slots_;
  Access accesses_[count + 1 - (count > 0 ? 1 : 0)];
};

/// The value of a task's datum; throws Error that names the datum if it has none.
[[nodiscard]] const void* require_value(TaskRecord& task, std::size_t access);

/// Calls condition C of a task of while_ or if_ with the values of the first data.
template <class C, class Parameters>
struct Condition;
template <class C, class... P>
struct Condition<C, TypeList<P...>> {
  static constexpr std::size_t count = sizeof...(P);
  [[nodiscard]] static bool holds(TaskRecord& task) {
    return holds(task, std::index_sequence_for<P...>{});
  }

 private:
  template <std::size_t... I>
  [[nodiscard]] static bool holds(TaskRecord& task, std::index_sequence<I...>) {
    return C()(*static_cast<const std::decay_t<P>*>(require_value(task, I))...);
  }
};

template <class C, bool Repeats>
struct DecidedTask {
  template <class F, class... S>
  class Of final : public BodyTask<F, S...> {
   public:
    using BodyTask<F, S...>::BodyTask;
    void call() override {
      holds_ = Condition<C, typename Body<C>::Parameters>::holds(*this);
      if (holds_) BodyTask<F, S...>::call();
    }
    [[nodiscard]] bool repeats() const override { return Repeats && holds_; }

   private:
    bool holds_ = false;
  };
};

// --- whether body and arguments go together ---

enum class Fault {
  none,
  captures,
  not_a_body,
  waits,
  returns,
  too_few,
  too_many,
  not_for_data,
  other_data,
  read_only,
  no_data,
  reference,
  other_value,
  condition,
  no_flow,
  element_alone,
  shared_write
};

/// Checks one parameter and its argument.
template <class P, class A>
constexpr Fault fault_of_argument() {
  using Argument = std::remove_cvref_t<A>;
  using Parameter = DatumParameter<P>;
  if constexpr (is_datum<A>) {
    using Traits = ArgumentTraits<Argument>;
    if constexpr (!Parameter::fits) {
      return Fault::not_for_data;
    } else if constexpr (!std::is_same_v<typename Parameter::Value, typename Traits::Value>) {
      return Fault::other_data;
    } else if constexpr (writes(Parameter::effect) && !Traits::may_write) {
      return Fault::read_only;
    }
  } else if constexpr (Parameter::fits && Parameter::effect != Effect::read &&
                       Parameter::effect != Effect::modify) {
    return Fault::no_data;
  } else if constexpr (std::is_lvalue_reference_v<P> &&
                       !std::is_const_v<std::remove_reference_t<P>>) {
    return Fault::reference;
  } else if constexpr (!std::is_convertible_v<A, std::decay_t<P>>) {
    return Fault::other_value;
  }
  return Fault::none;
}

template <class Parameters, class Arguments>
struct FaultOfArguments;
template <class... P, class... A>
struct FaultOfArguments<TypeList<P...>, TypeList<A...>> {
  static constexpr Fault find() {
    if constexpr (sizeof...(A) < sizeof...(P)) {
      return Fault::too_few;
    } else if constexpr (sizeof...(A) > sizeof...(P)) {
      return Fault::too_many;
    } else {
      Fault fault = Fault::none;
      ((fault = fault == Fault::none ? fault_of_argument<P, A>() : fault), ...);
      return fault;
    }
  }
};

/// The parameters without Flow&, for which the caller gives no argument.
template <class Parameters>
struct Issuing {
  using Others = Parameters;
  static constexpr bool issues = false;
};
template <class... P>
struct Issuing<TypeList<Flow&, P...>> {
  using Others = TypeList<P...>;
  static constexpr bool issues = true;
};

template <class F, class... A>
constexpr Fault fault_of() {
  if constexpr (!Body<F>::is_known) {
    return Fault::not_a_body;
  } else if constexpr (!std::is_empty_v<F> || !std::is_default_constructible_v<F>) {
    return Fault::captures;
  } else if constexpr (exec::is_task<typename Body<F>::Result>) {
    return Fault::waits;
  } else if constexpr (!std::is_void_v<typename Body<F>::Result>) {
    return Fault::returns;
  } else {
    return FaultOfArguments<typename Issuing<typename Body<F>::Parameters>::Others,
                            TypeList<A...>>::find();
  }
}

/// True for the kinds of arguments that only for_each() accepts.
template <class A>
inline constexpr bool is_of_each = false;
template <class T, int D>
inline constexpr bool is_of_each<ElementArgument<T, D>> = true;
template <int D>
inline constexpr bool is_of_each<IndexArgument<D>> = true;

template <class F, class... A>
constexpr Fault fault_of_work() {
  if constexpr ((is_of_each<std::remove_cvref_t<A>> || ...)) {
    return Fault::element_alone;
  } else {
    return fault_of<F, A...>();
  }
}

template <class Parameters, class Arguments>
inline constexpr bool conditions_fit = false;
template <class A0, class... A>
inline constexpr bool conditions_fit<TypeList<>, TypeList<A0, A...>> = true;
template <class P0, class... P, class A0, class... A>
inline constexpr bool conditions_fit<TypeList<P0, P...>, TypeList<A0, A...>> =
    fault_of_argument<P0, A0>() == Fault::none&& is_datum<A0>&& DatumParameter<P0>::effect
        == Effect::read
    && (sizeof...(P) == 0 || conditions_fit<TypeList<P...>, TypeList<A...>>);

template <class C, class... A>
constexpr bool is_condition_of() {
  if constexpr (!Body<C>::is_known || !std::is_empty_v<C> || !std::is_default_constructible_v<C>) {
    return false;
  } else {
    return std::is_same_v<typename Body<C>::Result, bool> && Body<C>::Parameters::size > 0 &&
           conditions_fit<typename Body<C>::Parameters, TypeList<A...>>;
  }
}

template <class C, class F, class... A>
constexpr Fault fault_of_decision() {
  constexpr Fault of_body = fault_of<F, A...>();
  if constexpr (of_body != Fault::none) {
    return of_body;
  } else if constexpr (!Issuing<typename Body<F>::Parameters>::issues) {
    return Fault::no_flow;
  } else if constexpr (!is_condition_of<C, A...>()) {
    return Fault::condition;
  } else {
    return Fault::none;
  }
}

/// Fails to compile, with one line of explanation.
template <Fault F>
constexpr void refuse() {
  static_assert(F != Fault::element_alone,
                "elements of collections, and indices, are arguments of for_each");
  static_assert(F != Fault::shared_write,
                "tasks of a for_each may read a single datum, or contribute to it by Reduce or "
                "Accumulate: they cannot all write it");
  static_assert(F != Fault::captures,
                "a task's lambda must not capture: what it uses is given to it as further "
                "arguments, data as handles");
  static_assert(F != Fault::not_a_body,
                "a task's body is a lambda whose parameters are plain types, without auto, or "
                "flow::fn<&function>");
  static_assert(F != Fault::waits,
                "a task's body is a plain function, not a coroutine: it runs once all its data are "
                "there, and does not wait");
  static_assert(
      F != Fault::returns,
      "a task's body returns nothing: it writes to its data, by a parameter T& or Out<T>");
  static_assert(F != Fault::too_few, "too few arguments for the parameters of the task's body");
  static_assert(F != Fault::too_many, "too many arguments for the parameters of the task's body");
  static_assert(F != Fault::not_for_data,
                "a parameter that is given a handle is const T&, T&, Out<T>, Commute<T>, Reduce<T, "
                "Op>, Accumulate<T, Op> or Handle<T>");
  static_assert(F != Fault::other_data, "a parameter and the datum given to it have other types");
  static_assert(F != Fault::read_only,
                "the task writes a datum of which it is given a handle that may only be read");
  static_assert(F != Fault::no_data,
                "a parameter Out, Commute, Reduce, Accumulate or Handle is given a handle, not a "
                "value");
  static_assert(F != Fault::reference,
                "a parameter T& is given a handle: a value belongs to the task alone, as T or "
                "const T&");
  static_assert(
      F != Fault::condition,
      "a condition is a lambda without captures that gives bool; its parameters, const T&, "
      "read the first of the arguments, which are data");
  static_assert(F != Fault::no_flow,
                "the body of while_ and if_ issues tasks: its first parameter is flow::Flow&");
  static_assert(F != Fault::other_value, "an argument does not convert to its parameter");
}

// --- making the task ---

template <class P, class A>
using SlotFor = std::conditional_t<is_datum<A>, DatumSlot<P>, ValueSlot<P>>;

template <class P, class A>
decltype(auto) slot_argument(A&& argument) {
  if constexpr (is_datum<A>) {
    return ArgumentTraits<std::remove_cvref_t<A>>::datum(argument);
  } else {
    core::require_serialisable<std::decay_t<P>>();
    return std::forward<A>(argument);
  }
}

template <class F, class Parameters>
struct TaskMaker;
template <class F, class... P>
struct TaskMaker<F, TypeList<P...>> {
  template <template <class, class...> class Made, class... A>
  static TaskRecord* make(Scope& scope, const char* name, const SourceLine& where,
                          A&&... arguments) {
    return new (scope.core()) Made<F, SlotFor<P, A>...>(
        scope, name, where, slot_argument<P>(std::forward<A>(arguments))...);
  }
};
template <class F, class... P>
struct TaskMaker<F, TypeList<Flow&, P...>> {
  template <template <class, class...> class Made, class... A>
  static TaskRecord* make(Scope& scope, const char* name, const SourceLine& where,
                          A&&... arguments) {
    return new (scope.core()) Made<F, FlowSlot, SlotFor<P, A>...>(
        scope, name, where, nullptr, slot_argument<P>(std::forward<A>(arguments))...);
  }
};

}  // namespace detail

}  // namespace roam::flow
