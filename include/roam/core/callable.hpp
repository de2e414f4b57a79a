// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tuple>
#include <type_traits>

namespace roam::core {

/// Takes a function or member function type apart. `Arguments` are decayed: what travels are
/// values.
template <class F>
struct Callable;

template <class R, class... A>
struct Callable<R (*)(A...)> {
  using Result = R;
  using Arguments = std::tuple<std::decay_t<A>...>;
  static constexpr bool is_member = false;
};
template <class R, class... A>
struct Callable<R (*)(A...) noexcept> : Callable<R (*)(A...)> {};

template <class R, class C, class... A>
struct Callable<R (C::*)(A...)> {
  using Result = R;
  using Class = C;
  using Arguments = std::tuple<std::decay_t<A>...>;
  static constexpr bool is_member = true;
  static constexpr bool is_const = false;
};
template <class R, class C, class... A>
struct Callable<R (C::*)(A...) const> : Callable<R (C::*)(A...)> {
  static constexpr bool is_const = true;
};
template <class R, class C, class... A>
struct Callable<R (C::*)(A...) noexcept> : Callable<R (C::*)(A...)> {};
template <class R, class C, class... A>
struct Callable<R (C::*)(A...) const noexcept> : Callable<R (C::*)(A...) const> {};

template <auto F>
using CallableOf = Callable<std::remove_cv_t<decltype(F)>>;

/// True if a tuple of these parameters can be made from values of types A...
template <class Tuple, class... A>
inline constexpr bool is_tuple_makeable_from = false;
template <class... P, class... A>
  requires(sizeof...(P) == sizeof...(A))
inline constexpr bool is_tuple_makeable_from<std::tuple<P...>, A...> =
    (std::is_convertible_v<A, P> && ...);

}  // namespace roam::core
