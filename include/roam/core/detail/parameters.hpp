// SPDX-License-Identifier: Apache-2.0
#pragma once

// How the arguments of a call are written, and stored as its parameters where they arrive. Arrays
// of plain elements - parameters std::vector<T>, std::string, std::span<T>, std::span<const T> and
// Array<T> - are written from any contiguous container of the same elements. One large array may
// travel beside the message, as an Attachment, from where it lies. On arrival a span refers to the
// elements in the message, or in its attachment; an Array takes over the attachment's memory; a
// vector is a copy.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "roam/core/array.hpp"
#include "roam/core/detail/buffer_pools.hpp"
#include "roam/core/detail/callable.hpp"
#include "roam/core/serialise.hpp"

namespace roam::core {

namespace detail {

template <class P>
struct ArrayParameterTraits {};  // no array
template <class E, bool IsView>
struct IsArrayParameter {
  using Element = E;
  static constexpr bool is_view = IsView;
};
template <>
struct ArrayParameterTraits<std::string> : IsArrayParameter<char, false> {};
template <class T, class A>
  requires(is_plain_sequence<std::vector<T, A>>)
struct ArrayParameterTraits<std::vector<T, A>> : IsArrayParameter<T, false> {};
template <class T>
struct ArrayParameterTraits<Array<T>> : IsArrayParameter<T, false> {};
template <class T>
  requires ArrayElement<std::remove_const_t<T>>
struct ArrayParameterTraits<std::span<T>> : IsArrayParameter<std::remove_const_t<T>, true> {
};

template <class P>
using ElementOf = typename ArrayParameterTraits<P>::Element;

}  // namespace detail

/// A parameter whose elements travel as bytes.
template <class P>
concept ArrayParameter = requires {
  typename detail::ElementOf<P>;
};
/// A parameter that refers to its elements without owning them.
template <class P>
concept ViewParameter = ArrayParameter<P> && detail::ArrayParameterTraits<P>::is_view;

/// True if an argument of type A holds the elements of parameter P contiguously.
template <class A, class P>
concept SuppliesArray =
    ArrayParameter<P> && !std::is_array_v<A> && std::ranges::contiguous_range<const A> &&
    std::ranges::sized_range<const A> &&
    std::is_same_v<std::remove_cv_t<std::ranges::range_value_t<const A>>, detail::ElementOf<P>>;

/// The type in which a parameter's value is stored: an Array for a span, else the parameter's own
/// type.
template <class P>
struct StoredParameter {
  using type = P;
};
template <ViewParameter P>
struct StoredParameter<P> {
  using type = Array<detail::ElementOf<P>>;
};

namespace detail {
template <class Tuple>
struct ParameterTuple;
template <class... P>
struct ParameterTuple<std::tuple<P...>> {
  using Stored = std::tuple<typename StoredParameter<P>::type...>;
  static constexpr bool has_array = (ArrayParameter<P> || ...);
  static constexpr bool has_view = (ViewParameter<P> || ...);
};
template <class Tuple, class... A>
inline constexpr bool are_arguments_for = false;
template <class... P, class... A>
  requires(sizeof...(P) == sizeof...(A))
inline constexpr bool are_arguments_for<std::tuple<P...>, A...> =
    (((std::is_convertible_v<A, P> && !loses_fraction<P, A>) || SuppliesArray<A, P>)&&...);
}  // namespace detail

/// The tuple in which the parameters of a tuple are stored: that tuple itself, unless it has spans.
template <class Tuple>
using StoredParameters = typename detail::ParameterTuple<Tuple>::Stored;
template <class Tuple>
inline constexpr bool has_array_parameter = detail::ParameterTuple<Tuple>::has_array;
template <class Tuple>
inline constexpr bool has_view_parameter = detail::ParameterTuple<Tuple>::has_view;
/// True if arguments of types A..., references or not, can be stored as such parameters. Arguments
/// that can only be moved are moved.
template <class Tuple, class... A>
inline constexpr bool can_be_kept = false;
template <class... P, class... A>
  requires(sizeof...(P) == sizeof...(A))
inline constexpr bool can_be_kept<std::tuple<P...>, A...> =
    ((ArrayParameter<P> || std::is_convertible_v<A, P>)&&...);
/// True if values of types A... can be sent as parameters of the types of a tuple.
template <class Tuple, class... A>
inline constexpr bool are_arguments_for = detail::are_arguments_for<Tuple, A...>;

namespace detail {
template <class Tuple>
struct RequireParameters;
template <class... P>
struct RequireParameters<std::tuple<P...>> {
  template <class One>
  static constexpr void require_one() {
    if constexpr (!ArrayParameter<One>) require_serialisable<One>();
  }
  static constexpr void require() { (require_one<P>(), ...); }
};
}  // namespace detail

/// Fails to compile, in one line, unless parameters of the types of a tuple can travel.
template <class Tuple>
constexpr void require_parameters() {
  detail::RequireParameters<Tuple>::require();
}
template <class Tuple>
inline constexpr bool can_parameters_arrive = false;
template <class... P>
inline constexpr bool can_parameters_arrive<std::tuple<P...>> = ((ArrayParameter<P> ||
                                                                  can_arrive<P>)&&...);

// --- writing ---

/// The sizes in bytes of the arrays among some arguments.
struct ArraySizes {
  std::size_t total = 0;
  std::size_t largest = 0;
  std::size_t index_of_largest = 0;  ///< among the arguments
};

/// Names the array among the arguments that is to travel beside the message, and holds what it
/// needs.
struct Outlet {
  std::size_t index = 0;         ///< which argument it is, counted from 0
  BufferPools* pools = nullptr;  ///< for a copy of an array that the caller does not give up
  Attachment attachment = {};
  std::size_t place = 0;  ///< where the array's place in the message is
};

namespace detail {

template <class P, class A>
[[nodiscard]] std::size_t array_bytes(const A& argument) {
  if constexpr (SuppliesArray<A, P>) {
    return std::ranges::size(argument) * sizeof(ElementOf<P>);
  } else {
    return 0;
  }
}

// The first word of a span holds the number of elements and, in the high bits, the bytes of padding
// that follow, so that the elements are aligned if the message is.
inline constexpr int padding_shift = 56;
inline constexpr std::uint64_t count_mask = (std::uint64_t{1} << padding_shift) - 1;

template <class P>
void write_elements(Packer& packer, std::span<const ElementOf<P>> elements) {
  std::uint64_t word = elements.size();
  std::size_t padding = 0;
  if constexpr (ViewParameter<P> && alignof(ElementOf<P>) > 1) {
    padding = (std::size_t{0} - packer.size() - sizeof word) % alignof(ElementOf<P>);
    word |= std::uint64_t{padding} << padding_shift;
  }
  packer.write(&word, sizeof word);
  constexpr std::uint64_t zeros[2] = {};
  if (padding > 0) packer.write(zeros, padding);
  packer.write(elements.data(), elements.size_bytes());
}

/// The elements of an argument as a buffer: in place, if the argument gives them up, else copied.
template <class T, class A>
[[nodiscard]] Buffer to_buffer(A&& argument, BufferPools& pools) {
  if constexpr (std::is_same_v<A, Array<T>>) {
    if (ArrayAccess::owns(argument)) return ArrayAccess::release(std::forward<A>(argument));
  } else if constexpr (OwningContainer<A>) {
    return KeptContainer<A>::keep(std::forward<A>(argument));
  }
  const std::span<const T> elements(std::ranges::data(argument), std::ranges::size(argument));
  Buffer copy = pools.take(elements.size_bytes());
  copy.append(elements.data(), elements.size_bytes());
  return copy;
}

template <class P, class A>
void pack_parameter(Packer& packer, Outlet* outlet, std::size_t index, A&& argument) {
  using Argument = std::remove_cvref_t<A>;
  if constexpr (SuppliesArray<Argument, P>) {
    const std::uint64_t count = std::ranges::size(argument);
    if (outlet != nullptr && outlet->index == index) {
      packer.write(&count, sizeof count);
      outlet->place = packer.size();
      outlet->attachment.data = to_buffer<ElementOf<P>>(std::forward<A>(argument), *outlet->pools);
    } else {
      const auto& constant = argument;
      write_elements<P>(packer, {std::ranges::data(constant), count});
    }
  } else if constexpr (ViewParameter<P>) {
    const P view = argument;
    write_elements<P>(packer, view);
  } else {
    pack_as<P>(packer, argument);
  }
}

}  // namespace detail

template <class... P, class... A>
[[nodiscard]] ArraySizes array_sizes(std::type_identity<std::tuple<P...>>, const A&... arguments) {
  ArraySizes sizes;
  std::size_t index = 0;
  const auto add = [&](std::size_t bytes) {
    sizes.total += bytes;
    if (bytes > sizes.largest) sizes.largest = bytes, sizes.index_of_largest = index;
    ++index;
  };
  (add(detail::array_bytes<P>(arguments)), ...);
  return sizes;
}

namespace detail {

template <class P, class A>
[[nodiscard]] constexpr bool is_flat_argument() {
  if constexpr (SuppliesArray<A, P> && !ViewParameter<P>) {
    return noexcept(std::ranges::data(std::declval<const A&>()))&& noexcept(
        std::ranges::size(std::declval<const A&>()));
  } else if constexpr (Plain<P>) {
    return std::is_same_v<A, P> || std::is_arithmetic_v<A> || std::is_enum_v<A>;
  }
  return false;
}
template <class P, class A>
[[nodiscard]] std::size_t flat_argument_bytes(const A& argument) {
  return SuppliesArray<A, P> ? sizeof(std::uint64_t) + array_bytes<P>(argument) : sizeof(P);
}
template <class P, class A>
void write_flat_argument(std::byte*& target, const A& argument) {
  if constexpr (SuppliesArray<A, P>) {
    write_plain_as<std::uint64_t>(target, std::uint64_t{std::ranges::size(argument)});
    const std::size_t bytes = array_bytes<P>(argument);
    if (bytes > 0) std::memcpy(target, std::ranges::data(argument), bytes);
    target += bytes;
  } else {
    write_plain_as<P>(target, argument);
  }
}

template <class Tuple, class... A>
inline constexpr bool are_flat_arguments = false;
template <class... P, class... A>
  requires(sizeof...(P) == sizeof...(A))
inline constexpr bool are_flat_arguments<std::tuple<P...>, A...> =
    (are_arguments_for<std::tuple<P...>, A...> && ... && is_flat_argument<P, A>());

}  // namespace detail

/// True if values of types A... are written as parameters of the types of a tuple by copying bytes
/// alone: no code of the program runs and nothing throws.
template <class Tuple, class... A>
inline constexpr bool are_flat_arguments = detail::are_flat_arguments<Tuple, A...>;
/// How many bytes pack_parameters() writes for such arguments.
template <class... P, class... A>
[[nodiscard]] std::size_t flat_bytes(std::type_identity<std::tuple<P...>>, const A&... arguments) {
  return (detail::flat_argument_bytes<P>(arguments) + ... + std::size_t{0});
}
/// Writes them to memory of at least flat_bytes() bytes.
template <class... P, class... A>
void write_flat(std::type_identity<std::tuple<P...>>, [[maybe_unused]] std::byte* target,
                const A&... arguments) {
  (detail::write_flat_argument<P>(target, arguments), ...);
}

/// Appends arguments as parameters of the types of a tuple, in order. If there is an outlet (else
/// nullptr), the elements of the argument that it names go there, without a copy if the argument is
/// an rvalue that owns them.
template <class... P, class... A>
void pack_parameters(std::type_identity<std::tuple<P...>>, Packer& packer, Outlet* outlet,
                     A&&... arguments) {
  std::size_t index = 0;
  (detail::pack_parameter<P>(packer, outlet, index++, std::forward<A>(arguments)), ...);
  if (outlet != nullptr) outlet->attachment.bytes_behind = packer.size() - outlet->place;
}

/// Appends packed arguments with their attachment, if any, in its place, so that the arguments are
/// in one piece.
void write_whole(Packer& packer, std::span<const std::byte> arguments,
                 const Attachment& attachment);

// --- reading ---

namespace detail {

template <class P>
void take_elements(Buffer&& data, std::uint64_t count, typename StoredParameter<P>::type& value) {
  using T = ElementOf<P>;
  if constexpr (std::is_same_v<typename StoredParameter<P>::type, Array<T>>) {
    value = ArrayAccess::take_over<T>(std::move(data), count);
  } else {
    check_count<T>(data, count);
    const auto size = static_cast<std::size_t>(count);
    if (is_aligned<T>(data.data())) {
      const T* const elements = reinterpret_cast<const T*>(data.data());
      value.assign(elements, elements + size);
    } else {
      assign_unaligned(value, std::as_const(data).bytes());
    }
  }
}

template <ViewParameter P>
void view_elements(Unpacker& unpacker, std::uint64_t count, Array<ElementOf<P>>& value) {
  using T = ElementOf<P>;
  if (count > unpacker.remaining() / sizeof(T)) throw_wrong_count();
  const auto size = static_cast<std::size_t>(count);
  const std::span<const std::byte> bytes = unpacker.view(size * sizeof(T));
  if (is_aligned<T>(bytes.data())) {
    // The message is this parameter's alone while the handler runs, so that its elements may be
    // written, too.
    value = ArrayAccess::view(reinterpret_cast<T*>(const_cast<std::byte*>(bytes.data())), size);
  } else {
    value = Array<T>(size);
    if (size > 0) std::memcpy(value.data(), bytes.data(), bytes.size());
  }
}

}  // namespace detail

/// Reads one parameter. A span's elements stay in the unpacker's bytes, which must outlive the
/// span's use.
template <class P>
void unpack_parameter(Unpacker& unpacker, typename StoredParameter<P>::type& value) {
  if constexpr (!ArrayParameter<P>) {
    detail::unpack_one(unpacker, value);
  } else {
    if constexpr (!ViewParameter<P>) {
      if (!unpacker.has_attachment()) return detail::unpack_one(unpacker, value);
    }
    std::uint64_t word = 0;
    unpacker.read(&word, sizeof word);
    if constexpr (ViewParameter<P>) {
      const std::uint64_t padding = word >> detail::padding_shift;
      word &= detail::count_mask;
      if (padding >= 16) detail::throw_wrong_count();
      static_cast<void>(unpacker.view(static_cast<std::size_t>(padding)));
    }
    if (unpacker.is_at_attachment()) {
      detail::take_elements<P>(unpacker.take_attachment(), word, value);
    } else if constexpr (ViewParameter<P>) {
      detail::view_elements<P>(unpacker, word, value);
    } else {
      detail::read_elements(unpacker, word, value);
    }
  }
}

/// Throws MalformedMessage: the message has more bytes than its parameters.
[[noreturn]] void throw_too_long();

/// Reads the parameters of a tuple in order. Throws MalformedMessage also if an attachment belongs
/// to none of them.
template <class Tuple>
[[nodiscard]] StoredParameters<Tuple> unpack_parameters(Unpacker& unpacker) {
  if constexpr (!can_parameters_arrive<Tuple>) {
    detail::throw_cannot_arrive();  // the compiler has already refused the code that sends them
  } else {
    StoredParameters<Tuple> values{};
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (unpack_parameter<std::tuple_element_t<I, Tuple>>(unpacker, std::get<I>(values)), ...);
    }
    (std::make_index_sequence<std::tuple_size_v<Tuple>>{});
    if constexpr (has_array_parameter<Tuple>) {
      if (unpacker.has_attachment()) detail::throw_wrong_count();
    }
    return values;
  }
}

// --- calling ---

namespace detail {
template <class P, class Stored>
[[nodiscard]] decltype(auto) as_parameter(Stored& stored) {
  if constexpr (std::is_same_v<P, Stored>) {
    return std::move(stored);
  } else {
    return P(stored.data(), stored.size());
  }
}
}  // namespace detail

/// Calls function(values...) with the stored parameters of a tuple; spans refer to them.
template <class Tuple, class Function, class Stored>
decltype(auto) apply_parameters(Function&& function, Stored& values) {
  return [&]<std::size_t... I>(std::index_sequence<I...>)->decltype(auto) {
    return std::forward<Function>(function)(
        detail::as_parameter<std::tuple_element_t<I, Tuple>>(std::get<I>(values))...);
  }
  (std::make_index_sequence<std::tuple_size_v<Tuple>>{});
}

/// An argument in the form from which the stored parameter P is made: elements given up or copied
/// if P is a span or an Array, else the argument itself.
template <class P, class A>
[[nodiscard]] decltype(auto) store_argument(A&& argument) {
  using Argument = std::remove_cvref_t<A>;
  using Stored = typename StoredParameter<P>::type;
  if constexpr (SuppliesArray<Argument, P> && !std::is_convertible_v<A, Stored>) {
    using T = detail::ElementOf<P>;
    const std::span<const T> elements(std::ranges::data(argument), std::ranges::size(argument));
    if constexpr (requires { Stored::copy_of(elements); }) {
      return Stored::copy_of(elements);
    } else {
      return Stored(elements.begin(), elements.end());
    }
  } else if constexpr (ViewParameter<P> && !std::is_convertible_v<A, Stored>) {
    const P view = argument;
    return Stored::copy_of(view);
  } else {
    return std::forward<A>(argument);
  }
}

}  // namespace roam::core
