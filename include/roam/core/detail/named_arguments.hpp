// SPDX-License-Identifier: Apache-2.0
#pragma once

// GCC 12 destroys a temporary of an aggregate class twice if it is made in the expression of a
// co_await, as in `co_await rt.request<&f>(1, Shape{...})`. An argument that has a name is safe.
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

template <class A>
constexpr void require_named_argument() {
  if constexpr (may_be_destroyed_twice<A>) {
    (void)sizeof(give_this_argument_a_name_because_gcc_12_would_destroy_a_temporary_twice<A>);
  }
}
/// Fails to compile, with one line of explanation, unless all arguments of an expression to be
/// awaited are safe.
template <class... A>
constexpr void require_named_arguments() {
  (require_named_argument<A>(), ...);
}

}  // namespace core
}  // namespace roam
