// SPDX-License-Identifier: Apache-2.0
#pragma once

// GCC 12 destroys a temporary of an aggregate class twice if it is made in an expression with a
// co_await, as in `co_await rt.request<&f>(1, Shape{...})`; and what a lambda has captured, if the
// lambda is made there. An argument that has a name is safe, and so is the result of a function,
// but a function that is given a temporary cannot tell these from it. docs/guide.md, trap 1, says
// what is refused and what cannot be.
#include <type_traits>

namespace roam {

/// If the compiler's error names this class: write `Shape shape{...};` on a line before, and pass
/// `shape`.
template <class A>
struct give_this_argument_a_name_because_gcc_12_would_destroy_a_temporary_twice;

namespace core {

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
inline constexpr bool destroys_aggregates_twice = true;
#else
inline constexpr bool destroys_aggregates_twice = false;
#endif

/// True if an argument that a function template has deduced as A&& may be a temporary that is
/// destroyed twice. False for types that cannot be copied: of these, a temporary cannot be told
/// from std::move of a variable.
template <class A>
inline constexpr bool may_be_destroyed_twice = [] {
  if constexpr (!destroys_aggregates_twice || std::is_reference_v<A> || !std::is_class_v<A>) {
    return false;
  } else {
    return std::is_aggregate_v<A> && !std::is_trivially_destructible_v<A> &&
           std::is_copy_constructible_v<A>;
  }
}();

/// True if a function object that a function template has deduced as F&& may be a lambda, or an
/// object of an aggregate class, of which a temporary is destroyed twice. Lambdas that capture by
/// reference, or nothing that needs a destructor, are safe.
template <class F>
inline constexpr bool function_may_be_destroyed_twice = [] {
  if constexpr (!destroys_aggregates_twice || std::is_reference_v<F> || !std::is_class_v<F>) {
    return false;
  } else {
    constexpr bool may_be_lambda = !std::is_default_constructible_v<F> &&
                                   !std::is_copy_assignable_v<F> &&
                                   !std::is_trivially_destructible_v<F>;
    return may_be_destroyed_twice<F> || (may_be_lambda && std::is_copy_constructible_v<F>);
  }
}();

template <class A>
constexpr void require_named_argument() {
  if constexpr (may_be_destroyed_twice<A>) {
    (void)sizeof(give_this_argument_a_name_because_gcc_12_would_destroy_a_temporary_twice<A>);
  }
}
template <class F>
constexpr void require_named_function() {
  if constexpr (function_may_be_destroyed_twice<F>) {
    (void)sizeof(give_this_argument_a_name_because_gcc_12_would_destroy_a_temporary_twice<F>);
  }
}
/// Fails to compile, with one line of explanation, unless all arguments of an expression to be
/// awaited are safe.
template <class... A>
constexpr void require_named_arguments() {
  (require_named_argument<A>(), ...);
}

/// The type of a value whose type the caller may state as T (void: not stated), and which is given
/// as an argument deduced as A&&.
template <class T, class A>
using StatedOrGiven = std::conditional_t<std::is_void_v<T>, std::decay_t<A>, T>;

}  // namespace core
}  // namespace roam
