// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a task's body is, and what its arguments are.
#include <cstddef>
#include <type_traits>
#include <utility>

#include "roam/core/detail/type_name.hpp"
#include "roam/flow/effects.hpp"
#include "roam/flow/handle.hpp"
#include "roam/flow/part.hpp"

namespace roam::flow {

class Flow;
template <auto F>
struct Function;
template <class T, int D>
class ElementArgument;
template <class T, int D>
class ElementPart;
template <class T, int D, std::size_t N>
class NeighboursArgument;
template <class T, int D>
class Neighbours;
template <int D>
struct IndexArgument;

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
struct PartTraits {
  static constexpr bool is_part = false;
};
template <class T>
struct PartTraits<Part<T>> {
  static constexpr bool is_part = true;
  static constexpr bool may_write = !std::is_const_v<T>;
  using Value = std::remove_const_t<T>;
};
template <class T, int D>
struct PartTraits<ElementPart<T, D>> {
  static constexpr bool is_part = true;
  static constexpr bool may_write = true;
  using Value = T;
};
/// Whether an argument stands for the elements around another, and whether a parameter takes them.
template <class A>
inline constexpr bool is_neighbours = false;
template <class T, int D, std::size_t N>
inline constexpr bool is_neighbours<NeighboursArgument<T, D, N>> = true;
template <class P, class A>
inline constexpr bool takes_neighbours = false;
template <class T, int D, std::size_t N>
inline constexpr bool takes_neighbours<Neighbours<T, D>, NeighboursArgument<T, D, N>> = true;
template <class A>
inline constexpr bool is_part_of_datum = PartTraits<std::remove_cvref_t<A>>::is_part;
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

}  // namespace detail

}  // namespace roam::flow
