// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <tuple>
#include <type_traits>

namespace roam::core {

namespace detail {

template <class P>
inline constexpr bool is_mutable_reference =
    std::is_lvalue_reference_v<P> && !std::is_const_v<std::remove_reference_t<P>>;

/// Stands in for a parameter type that no handler can have, so that the one line that says so is
/// the only compile error: it can be made from everything and passed as anything.
struct AnyArgument {
  constexpr AnyArgument() = default;
  template <class T>
    requires(!std::is_same_v<std::remove_cvref_t<T>, AnyArgument>)
  constexpr AnyArgument(T&&) {}  // NOLINT: converts on purpose
  template <class T>
  operator T&() const {  // NOLINT: converts on purpose
    std::terminate();
  }
};

template <class P>
using ArgumentFor = std::conditional_t<is_mutable_reference<P>, AnyArgument, std::decay_t<P>>;

}  // namespace detail

/// The parameters of a handler as values. Fails to compile if one is a reference to something that
/// is not const.
template <class... P>
struct ParametersOf {
  static_assert(
      !(detail::is_mutable_reference<P> || ...),
      "a parameter of a handler cannot be a non-const reference: the caller's variable is "
      "on another rank; take a value, and return what the caller needs");
  using Arguments = std::tuple<detail::ArgumentFor<P>...>;
};

namespace detail {

/// The result and arguments of something that cannot be a handler, if it can be called in exactly
/// one way. So the compiler complains of nothing but that it cannot be a handler.
template <class F>
struct SignatureOf {
  using Result = void;
  using Arguments = std::tuple<>;
};
template <class C, class R, class... A>
struct SignatureOf<R (C::*)(A...) const> {
  using Result = R;
  using Arguments = std::tuple<ArgumentFor<A>...>;
};
template <class F>
  requires requires { &F::operator(); }
struct SignatureOf<F> : SignatureOf<decltype(&F::operator())> {};

}  // namespace detail

/// False for lambdas and other objects, which cannot be handlers.
template <class F>
inline constexpr bool is_function_or_method = std::is_member_function_pointer_v<F> ||
                                              (std::is_pointer_v<F> &&
                                               std::is_function_v<std::remove_pointer_t<F>>);

/// Takes a function or member function type apart. `Arguments` are decayed, because values travel.
/// Anything but a function or a method fails to compile with one line of explanation.
template <class F>
struct Callable : detail::SignatureOf<F> {
  static_assert(!std::is_same_v<F, F>,
                "a handler must be a function or a method, such as &work or &Class::work: a lambda "
                "or other object has no name that is the same on every rank");
  using Class = void;
  static constexpr bool is_member = false;
  static constexpr bool is_const = false;
};

template <class R, class... A>
struct Callable<R (*)(A...)> : ParametersOf<A...> {
  using Result = R;
  static constexpr bool is_member = false;
};
template <class R, class... A>
struct Callable<R (*)(A...) noexcept> : Callable<R (*)(A...)> {};

template <class R, class C, class... A>
struct Callable<R (C::*)(A...)> : ParametersOf<A...> {
  using Result = R;
  using Class = C;
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

namespace detail {
template <class F>
inline constexpr bool takes_mutable_reference = false;
template <class R, class... A>
inline constexpr bool takes_mutable_reference<R (*)(A...)> = (is_mutable_reference<A> || ...);
template <class R, class... A>
inline constexpr bool takes_mutable_reference<R (*)(A...) noexcept> =
    takes_mutable_reference<R (*)(A...)>;
}  // namespace detail

/// False for lambdas, and for functions with a parameter that is a reference to something that is
/// not const: `(void)sizeof(Callable<F>)` then gives the one error that says so.
template <class F>
inline constexpr bool can_be_function_handler =
    is_function_or_method<F> && !detail::takes_mutable_reference<F>;

template <auto F>
using CallableOf = Callable<std::remove_cv_t<decltype(F)>>;

/// True if an argument of type A loses its fraction as a parameter of type P: 2.7 for an int.
/// (Whether other conversions between numbers lose something depends on the value, and is the
/// caller's concern.)
template <class P, class A>
inline constexpr bool loses_fraction =
    std::is_floating_point_v<std::remove_cvref_t<A>>&& std::is_integral_v<P>;

/// True if a tuple of type Tuple can be made from values of types A...
template <class Tuple, class... A>
inline constexpr bool is_tuple_makeable_from = false;
template <class... P, class... A>
  requires(sizeof...(P) == sizeof...(A))
inline constexpr bool is_tuple_makeable_from<std::tuple<P...>, A...> =
    ((std::is_convertible_v<A, P> && !loses_fraction<P, A>)&&...);

}  // namespace roam::core
