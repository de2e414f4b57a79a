// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which types can travel, and how: copied as bytes, or by functions after cereal's conventions.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "roam/core/archive.hpp"
#include "roam/core/detail/type_name.hpp"

namespace roam::core::detail {

/// Archives of the same kind that none of Roam's own functions accepts: they show whether a type
/// has functions of its own, written for any archive or for one of Roam's.
class PackProbe : public PackArchive {};
class UnpackProbe : public UnpackArchive {};

}  // namespace roam::core::detail

CEREAL_SETUP_ARCHIVE_TRAITS(roam::core::detail::UnpackProbe, roam::core::detail::PackProbe)

namespace roam::core::detail {

/// True if T brings a function, member or free: serialize, save, load, save_minimal or
/// load_minimal, with or without a version.
template <class T>
concept HasOwnSerialisation =
    cereal::traits::detail::count_output_serializers<T, PackProbe>::value >
0 || cereal::traits::detail::count_input_serializers<T, UnpackProbe>::value > 0;

template <class T>
inline constexpr bool from_std = type_name<T>().starts_with("std::");
template <class T>
inline constexpr bool from_cereal = type_name<T>().starts_with("cereal::");

/// True for classes that are copied as bytes: trivially copyable, and without a serialisation of
/// their own. A class without members is written as one zero byte.
template <class T>
concept Bitwise = std::is_class_v<T> &&
                  (std::is_trivially_copyable_v<T> || std::is_empty_v<T>)&&!from_std<T> &&
                  !from_cereal<T> && !HasOwnSerialisation<T>;

/// True for durations and time points of std::chrono, which are numbers.
template <class T>
inline constexpr bool is_time = false;
template <class Number, class Period>
inline constexpr bool is_time<std::chrono::duration<Number, Period>> = std::is_arithmetic_v<Number>;
template <class Clock, class Length>
inline constexpr bool is_time<std::chrono::time_point<Clock, Length>> = is_time<Length>;

/// True for types whose values are written without an archive, in the same bytes as with one.
template <class T>
concept Plain = std::is_arithmetic_v<T> || std::is_enum_v<T> || Bitwise<T> || is_time<T>;

/// True for types of which a vector is copied as bytes.
template <class T>
concept BitwiseElement = Plain<T> && !std::is_same_v<T, bool> && !std::is_empty_v<T>;

template <class T>
inline constexpr bool is_plain_sequence = std::is_same_v<T, std::string>;
template <class T, class A>
inline constexpr bool is_plain_sequence<std::vector<T, A>> = BitwiseElement<T>;

/// True if no code of the program takes part in writing and reading values of T: if bytes do not
/// decode, it is then not the program's fault.
template <class T>
inline constexpr bool is_known_to_decode = Plain<T> || is_plain_sequence<T>;
template <class T, class A>
inline constexpr bool is_known_to_decode<std::vector<T, A>> = is_known_to_decode<T>;

// Types for which the answer is known are decided first: asking cereal takes the compiler 30 ms per
// type.
template <class T>
constexpr bool has_functions_to_pack() {
  if constexpr (std::is_pointer_v<T> || std::is_reference_v<T>) {
    return false;
  } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_array_v<T> ||
                       from_cereal<T> || std::is_empty_v<T>) {
    return true;
  } else {
    return cereal::traits::is_output_serializable<T, PackArchive>::value;
  }
}
template <class T>
constexpr bool has_functions_to_unpack() {
  if constexpr (std::is_pointer_v<T> || std::is_reference_v<T>) {
    return false;
  } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_array_v<T> ||
                       from_cereal<T> || std::is_empty_v<T>) {
    return true;
  } else {
    return cereal::traits::is_input_serializable<T, UnpackArchive>::value;
  }
}

}  // namespace roam::core::detail

namespace roam {

/// The headers of cereal that a program has to include if a type of the standard library travels.
enum class include {  // NOLINT(readability-identifier-naming): as the compiler's error is to read
  nothing,
  cereal_types_array_hpp,
  cereal_types_atomic_hpp,
  cereal_types_bitset_hpp,
  cereal_types_complex_hpp,
  cereal_types_deque_hpp,
  cereal_types_forward_list_hpp,
  cereal_types_list_hpp,
  cereal_types_map_hpp,
  cereal_types_memory_hpp,
  cereal_types_optional_hpp,
  cereal_types_queue_hpp,
  cereal_types_set_hpp,
  cereal_types_stack_hpp,
  cereal_types_tuple_hpp,
  cereal_types_unordered_map_hpp,
  cereal_types_unordered_set_hpp,
  cereal_types_valarray_hpp,
  cereal_types_variant_hpp,
};

// Deliberately incomplete: the compiler's one-line error names the rule and the type.
template <class Type>
struct this_type_cannot_be_serialised_so_give_it_a_serialize_member_or_save_and_load;
template <class Type, include Header>
struct this_type_cannot_be_serialised_without_a_header_of_cereal;
template <class Type>
struct this_type_must_be_default_constructible_to_be_rebuilt_on_another_rank;

}  // namespace roam

namespace roam::core {

namespace detail {

struct HeaderOf {
  std::string_view name;
  include header;
};
inline constexpr HeaderOf headers_of_cereal[] = {
    {"array", include::cereal_types_array_hpp},
    {"atomic", include::cereal_types_atomic_hpp},
    {"bitset", include::cereal_types_bitset_hpp},
    {"complex", include::cereal_types_complex_hpp},
    {"deque", include::cereal_types_deque_hpp},
    {"forward_list", include::cereal_types_forward_list_hpp},
    {"list", include::cereal_types_list_hpp},
    {"map", include::cereal_types_map_hpp},
    {"multimap", include::cereal_types_map_hpp},
    {"unique_ptr", include::cereal_types_memory_hpp},
    {"shared_ptr", include::cereal_types_memory_hpp},
    {"weak_ptr", include::cereal_types_memory_hpp},
    {"optional", include::cereal_types_optional_hpp},
    {"queue", include::cereal_types_queue_hpp},
    {"priority_queue", include::cereal_types_queue_hpp},
    {"set", include::cereal_types_set_hpp},
    {"multiset", include::cereal_types_set_hpp},
    {"stack", include::cereal_types_stack_hpp},
    {"tuple", include::cereal_types_tuple_hpp},
    {"unordered_map", include::cereal_types_unordered_map_hpp},
    {"unordered_multimap", include::cereal_types_unordered_map_hpp},
    {"unordered_set", include::cereal_types_unordered_set_hpp},
    {"unordered_multiset", include::cereal_types_unordered_set_hpp},
    {"valarray", include::cereal_types_valarray_hpp},
    {"variant", include::cereal_types_variant_hpp},
};

/// "map" for "std::__cxx11::map<int, int>"; empty if it is no template of std.
[[nodiscard]] constexpr std::string_view template_of_std(std::string_view type) {
  if (!type.starts_with("std::")) return {};
  type.remove_prefix(5);
  if (type.starts_with("__")) type.remove_prefix(type.find("::") + 2);
  return type.substr(0, std::min(type.size(), type.find('<')));
}

/// The header of cereal that T needs, whether or not it has been included.
template <class T>
[[nodiscard]] constexpr include header_for() {
  const std::string_view name = template_of_std(type_name<T>());
  for (const HeaderOf& known : headers_of_cereal) {
    if (known.name == name) return known.header;
  }
  return include::nothing;
}

template <class T>
constexpr void complain() {
  constexpr include header = header_for<T>();
  if constexpr (header != include::nothing) {
    (void)sizeof(this_type_cannot_be_serialised_without_a_header_of_cereal<T, header>);
  } else {
    (void)sizeof(this_type_cannot_be_serialised_so_give_it_a_serialize_member_or_save_and_load<T>);
  }
}

/// The element type of a container of the standard library that default-constructs its elements
/// before it reads them; void for others.
template <class T>
struct ElementsOf {
  using type = void;
};
template <class T>
  requires(from_std<T>&& requires { typename T::value_type; })
struct ElementsOf<T> {
  using type = std::remove_const_t<typename T::value_type>;
};

template <class T>
constexpr bool has_serialisation() {
  if constexpr (Plain<T>) {
    return true;
  } else {
    return has_functions_to_pack<T>() && has_functions_to_unpack<T>();
  }
}

/// The type inside T, or T itself, that has no default constructor; void if all have one.
template <class T>
constexpr auto not_default_constructible() {
  using Element = typename ElementsOf<T>::type;
  if constexpr (std::is_void_v<T>) {
    return std::type_identity<void>{};
  } else if constexpr (!std::is_void_v<Element> && !std::is_same_v<Element, T>) {
    return not_default_constructible<Element>();
  } else if constexpr (std::is_default_constructible_v<T>) {
    return std::type_identity<void>{};
  } else {
    return std::type_identity<T>{};
  }
}
template <class T>
using NotDefaultConstructible = typename decltype(not_default_constructible<T>())::type;

}  // namespace detail

/// True if values of T can be sent, returned or migrated.
template <class T>
inline constexpr bool is_serialisable = detail::has_serialisation<T>();
/// True if values of T can be sent and also be constructed where they arrive.
template <class T>
inline constexpr bool can_arrive = is_serialisable<T>&&
    std::is_void_v<detail::NotDefaultConstructible<T>>&& std::is_default_constructible_v<T>;

/// Fails to compile, with one line naming T, unless values of T can travel. Call it as a plain
/// statement.
template <class T>
constexpr void require_serialisable() {
  if constexpr (!is_serialisable<T>) {
    detail::complain<T>();
  } else if constexpr (!std::is_void_v<detail::NotDefaultConstructible<T>>) {
    using Culprit = detail::NotDefaultConstructible<T>;
    (void)sizeof(this_type_must_be_default_constructible_to_be_rebuilt_on_another_rank<Culprit>);
  } else if constexpr (!std::is_default_constructible_v<T>) {
    (void)sizeof(this_type_must_be_default_constructible_to_be_rebuilt_on_another_rank<T>);
  }
}

namespace detail {
template <class Tuple>
struct TypesOf;
template <class... T>
struct TypesOf<std::tuple<T...>> {
  static constexpr bool all_can_arrive = (can_arrive<T> && ...);
};
}  // namespace detail

template <class T>
constexpr bool can_be_packed() {
  return detail::has_functions_to_pack<T>();
}
template <class T>
constexpr void require_packable() {
  if constexpr (!can_be_packed<T>()) detail::complain<T>();
}
template <class T>
constexpr bool can_be_unpacked() {
  return detail::has_functions_to_unpack<T>();
}

}  // namespace roam::core
