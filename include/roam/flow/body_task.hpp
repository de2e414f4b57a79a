// SPDX-License-Identifier: Apache-2.0
#pragma once

// Makes a task from a function and the arguments of work(): the code that is compiled for each
// body.
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "roam/core/detail/serialisable.hpp"
#include "roam/flow/detail/body_faults.hpp"
#include "roam/flow/detail/body_traits.hpp"

namespace roam::flow {

class Flow;

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

/// Stores a part of a datum of class T for a parameter.
template <class P, class T>
class PartSlot {
 public:
  using View = std::remove_cvref_t<P>;
  static constexpr Effect effect =
      std::is_same_v<View, ModifiedPart<T>> ? Effect::part_modify : Effect::part_read;
  static constexpr std::size_t accesses = 1;
  static constexpr bool has_children = false;

  /// `argument`: a Part, or another class that says the datum and the range.
  template <class A>
    requires(!std::is_same_v<A, PartSlot>)
  explicit PartSlot(const A& argument) {
    use_ = range_of_part(argument.begin(), argument.end());
    use_.group = effect == Effect::part_modify ? Effect::modify : Effect::read;
  }
  void fail(const FailureRef& /*failure*/) {}
  template <class A>
  void prepare(Access* access, const A& argument) {
    access->datum = argument.datum();
    access->effect = effect;
    access->use = &use_;
    access->is_special = true;
    use_.access = access;
  }

  class Given {
   public:
    template <class Task>
    Given(Task& /*task*/, const PartSlot& slot, Access* access)
        : view_(view_of(*access->instance, slot)) {}
    [[nodiscard]] const View& get() const { return view_; }
    void finish() {}

   private:
    using Seen = std::conditional_t<effect == Effect::part_modify, T, const T>;
    [[nodiscard]] static View view_of(Instance& instance, const PartSlot& slot) {
      return part_of(*static_cast<Seen*>(instance.value()), slot.use_.begin,
                     slot.use_.begin + slot.length(), instance.label());
    }
    View view_;
  };

 private:
  [[nodiscard]] std::size_t length() const { return use_.has_none ? 0 : use_.end - use_.begin; }

  PartUse use_;
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
  [[nodiscard]] const Value& value() const { return value_; }

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

template <class S>
inline constexpr bool slot_commutes = false;
template <class S>
  requires requires { S::effect; }
inline constexpr bool slot_commutes<S> = S::effect == Effect::commute;

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
    std::apply(
        [&](S&... slots) {
          ((slots.prepare(accesses_ + next, arguments), next += S::accesses), ...);
        },
        slots_);
    set_accesses(std::make_index_sequence<count>{});
    if constexpr (holds_memory) {
      Core& core = scope.core();
      held_.set(
          core,
          std::apply([&](const S&... slots) { return (0 + ... + bytes_of(slots, core)); }, slots_));
    }
  }

  void call() override { call_with(F()); }
  void cannot_run(const FailureRef& failure) override {
    std::apply([&](S&... slots) { (slots.fail(failure), ...); }, slots_);
  }

 protected:
  /// Calls `body` in place of F() with what the slots provide.
  template <class B>
  void call_with(B&& body) {
    call_with(body, std::index_sequence_for<S...>{});
  }

  /// Calls `visit` with each slot and its first access, in order.
  template <class V>
  void visit_slots(const V& visit) const {
    visit_slots(slots_, visit, std::index_sequence_for<S...>{});
  }
  template <class V>
  void visit_slots(const V& visit) {
    visit_slots(slots_, visit, std::index_sequence_for<S...>{});
  }

 private:
  template <class B, std::size_t... I>
  void call_with(B& body, std::index_sequence<I...>) {
    [&](typename S::Given&&... given) {
      body(given.get()...);
      (given.finish(), ...);
    }(typename S::Given(*this, std::get<I>(slots_), accesses_ + first_access(I))...);
  }
  template <class Slots, class V, std::size_t... I>
  void visit_slots(Slots& slots, const V& visit, std::index_sequence<I...>) const {
    (visit(std::get<I>(slots), accesses_ + first_access(I)), ...);
  }
  [[nodiscard]] static constexpr std::size_t first_access(std::size_t slot) {
    constexpr std::size_t counts[] = {S::accesses..., 0};
    std::size_t first = 0;
    for (std::size_t i = 0; i < slot; ++i) first += counts[i];
    return first;
  }

  // Without a loop, which compilers keep.
  template <std::size_t... I>
  void set_accesses(std::index_sequence<I...>) {
    if constexpr (count > 0) {
      constexpr bool commutes = (slot_commutes<S> || ...);
      [[maybe_unused]] const std::uint16_t first =
          this->set_accesses_at(accesses_, count, commutes);
      ((accesses_[I].offset = static_cast<std::uint16_t>(first + I * sizeof(Access))), ...);
    }
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
// --- making the task ---

template <class P, class A>
struct SlotOf {
  using Type = std::conditional_t<is_datum<A>, DatumSlot<P>, ValueSlot<P>>;
};
template <class P, class A>
  requires is_part_of_datum<A>
struct SlotOf<P, A> {
  using Type = PartSlot<P, typename PartTraits<std::remove_cvref_t<A>>::Value>;
};
template <class P, class A>
using SlotFor = typename SlotOf<P, A>::Type;

template <class P, class A>
decltype(auto) slot_argument(A&& argument) {
  if constexpr (is_part_of_datum<A>) {
    return std::as_const(argument);
  } else if constexpr (is_datum<A>) {
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
