// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whether a task's body and its arguments go together: mistakes that the compiler reports in one
// line.
#include <cstddef>
#include <type_traits>

#include "roam/exec/task.hpp"
#include "roam/flow/detail/body_traits.hpp"

namespace roam::flow::detail {

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
  shared_write,
  not_a_part,
  not_neighbours
};

/// Checks a parameter that is given a part of a datum.
template <class P, class Traits>
constexpr Fault fault_of_part() {
  using View = std::remove_cvref_t<P>;
  using T = typename Traits::Value;
  if constexpr (std::is_lvalue_reference_v<P> && !std::is_const_v<std::remove_reference_t<P>>) {
    return Fault::not_a_part;
  } else if constexpr (std::is_same_v<View, ModifiedPart<T>>) {
    return Traits::may_write ? Fault::none : Fault::read_only;
  } else {
    return std::is_same_v<View, ReadPart<T>> ? Fault::none : Fault::not_a_part;
  }
}

/// Checks one parameter and its argument.
template <class P, class A>
constexpr Fault fault_of_argument() {
  using Argument = std::remove_cvref_t<A>;
  using Parameter = DatumParameter<P>;
  if constexpr (is_part_of_datum<A>) {
    return fault_of_part<P, PartTraits<Argument>>();
  } else if constexpr (is_neighbours<Argument>) {
    constexpr bool is_written =
        std::is_lvalue_reference_v<P> && !std::is_const_v<std::remove_reference_t<P>>;
    return takes_neighbours<std::remove_cvref_t<P>, Argument> && !is_written
               ? Fault::none
               : Fault::not_neighbours;
  } else if constexpr (is_datum<A>) {
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
template <class T, int D>
inline constexpr bool is_of_each<ElementPart<T, D>> = true;
template <class T, int D, std::size_t N>
inline constexpr bool is_of_each<NeighboursArgument<T, D, N>> = true;
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
  static_assert(F != Fault::not_a_part,
                "a parameter that is given a part of a datum is what part(begin, end) returns: for "
                "elements E, std::span<E> to modify them, or std::span<const E>");
  static_assert(
      F != Fault::not_neighbours,
      "a parameter that is given faces() or neighbours() of a collection of elements T in "
      "D dimensions is Neighbours<T, D>");
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

}  // namespace roam::flow::detail
