// SPDX-License-Identifier: Apache-2.0
#pragma once

// How the fields of a struct lie on the wire: in the order of its fields(), without gaps. They are
// written, read and described (for the comparison of programs, A6) from that one list.
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "roam/core/detail/type_name.hpp"
#include "roam/core/serialise.hpp"

namespace roam::am {

/// A struct with `static constexpr auto fields(auto& m) { return std::tie(m.a, m.b); }`, which
/// lists all members in the order of their declaration.
template <class T>
concept HasFields = std::is_class_v<T> && requires(T& value, const T& constant) {
  T::fields(value);
  T::fields(constant);
};
/// A struct whose layout depends on its values, so that it writes and reads itself, and
/// describes itself by a text that changes when the layout does.
template <class T>
concept LaysItselfOut = std::is_class_v<T> &&
    requires(const T& value, core::Packer& packer, core::Unpacker& bytes) {
  value.write(packer);
  { T::read(bytes) } -> std::same_as<T>;
};

namespace detail {

template <class T>
struct ArrayOf : std::false_type {};
template <class T, std::size_t N>
struct ArrayOf<std::array<T, N>> : std::true_type {
  using Element = T;
};
template <class T>
struct ListOf : std::false_type {};
template <class T>
struct ListOf<std::vector<T>> : std::true_type {
  using Element = T;
};
template <class T>
inline constexpr bool is_list_of_structs = false;
template <HasFields T>
inline constexpr bool is_list_of_structs<std::vector<T>> = true;
template <class T>
using FieldsOf = decltype(T::fields(std::declval<T&>()));

template <class T>
constexpr bool is_fixed();
template <class T>
constexpr std::size_t bytes_of();
template <class T>
constexpr bool may_be_any_bytes();

/// What is known of a tuple of references to fields.
template <class Tuple>
struct FieldList;
template <class... F>
struct FieldList<std::tuple<F&...>> {
  static constexpr bool are_fixed = (is_fixed<F>() && ...);
  static constexpr bool may_be_any_bytes = (detail::may_be_any_bytes<F>() && ...);
  static constexpr std::size_t bytes() { return (bytes_of<F>() + ... + std::size_t{0}); }
  /// The size in memory of a struct of exactly these members.
  static constexpr std::size_t memory(std::size_t alignment) {
    std::size_t at = 0;
    ((at = (at + alignof(F) - 1) / alignof(F) * alignof(F) + sizeof(F)), ...);
    return (at + alignment - 1) / alignment * alignment;
  }
  template <class Visit>
  static constexpr void for_each(Visit&& visit) {
    (visit(std::type_identity<F>{}), ...);
  }
};
template <HasFields T>
using Fields = FieldList<FieldsOf<T>>;

template <class T>
constexpr bool is_fixed() {
  if constexpr (HasFields<T>) {
    static_assert(Fields<T>::memory(alignof(T)) == sizeof(T),
                  "fields() does not list all members, in the order of their declaration");
    return Fields<T>::are_fixed;
  } else if constexpr (ArrayOf<T>::value) {
    return is_fixed<typename ArrayOf<T>::Element>();
  } else {
    return core::is_plain_tuple<std::tuple<T>>;
  }
}
template <class T>
constexpr std::size_t bytes_of() {
  if constexpr (HasFields<T>) {
    return Fields<T>::bytes();
  } else {
    return sizeof(T);
  }
}
// False if T contains a bool, which has only two valid values. What Roam's own plain structs
// contain is checked where it is used.
template <class T>
constexpr bool may_be_any_bytes() {
  if constexpr (HasFields<T>) {
    return Fields<T>::may_be_any_bytes && Fields<T>::bytes() == sizeof(T);
  } else {
    static_assert(!std::is_empty_v<T>, "a field without a value");
    return !std::is_same_v<T, bool>;
  }
}

}  // namespace detail

/// True if all values of T have the same number of bytes on the wire.
template <class T>
inline constexpr bool has_fixed_layout = !LaysItselfOut<T> && detail::is_fixed<T>();
/// The number of bytes of a value of T on the wire.
template <class T>
  requires has_fixed_layout<T>
inline constexpr std::size_t layout_bytes = detail::bytes_of<T>();
/// True if the bytes of a value on the wire are those that it has in memory.
template <class T>
inline constexpr bool lies_as_in_memory =
    has_fixed_layout<T>&& std::is_trivially_copyable_v<T>&& detail::may_be_any_bytes<T>();

namespace detail {

[[noreturn]] void throw_other_length(std::string_view what);
[[noreturn]] void throw_no_bool();

/// Reads from memory that is known to be long enough.
struct Source {
  const std::byte* place;
  void read(void* target, std::size_t length) {
    std::memcpy(target, place, length);
    place += length;
  }
};
struct Target {
  std::byte* place;
  void write(const void* source, std::size_t length) {
    std::memcpy(place, source, length);
    place += length;
  }
};

template <class T, class Bytes>
void read_fixed(Bytes& bytes, T& value) {
  if constexpr (lies_as_in_memory<T>) {
    bytes.read(&value, sizeof value);
  } else if constexpr (HasFields<T>) {
    std::apply([&](auto&... field) { (read_fixed(bytes, field), ...); }, T::fields(value));
  } else {
    static_assert(std::is_same_v<T, bool>);
    std::uint8_t byte = 0;
    bytes.read(&byte, sizeof byte);
    if (byte > 1) throw_no_bool();
    value = byte == 1;
  }
}
template <class T, class Bytes>
void write_fixed(Bytes& bytes, const T& value) {
  if constexpr (lies_as_in_memory<T> || std::is_same_v<T, bool>) {
    bytes.write(&value, sizeof value);
  } else {
    std::apply([&](auto&... field) { (write_fixed(bytes, field), ...); }, T::fields(value));
  }
}

}  // namespace detail

/// Writes a value to memory of at least layout_bytes bytes.
template <class T>
void store_fields(std::byte* place, const T& value) {
  detail::Target target{place};
  detail::write_fixed(target, value);
}
/// Reads a value from layout_bytes bytes. Throws MalformedMessage for a wrong bool.
template <class T>
void load_fields(T& value, const std::byte* place) {
  detail::Source source{place};
  detail::read_fixed(source, value);
}

/// Appends a value: a struct as its fields, a vector of such structs as its length and their
/// fields, anything else as core::pack() does.
template <class T>
void write_field(core::Packer& packer, const T& value) {
  if constexpr (LaysItselfOut<T>) {
    value.write(packer);
  } else if constexpr (has_fixed_layout<T>) {
    detail::write_fixed(packer, value);
  } else if constexpr (HasFields<T>) {
    std::apply([&](auto&... field) { (write_field(packer, field), ...); }, T::fields(value));
  } else if constexpr (detail::is_list_of_structs<T>) {
    core::pack(packer, static_cast<std::uint64_t>(value.size()));
    for (const auto& element : value) write_field(packer, element);
  } else {
    core::pack(packer, value);
  }
}

template <class T>
[[nodiscard]] T read_field(core::Unpacker& bytes);
template <class T>
void read_field_into(core::Unpacker& bytes, T& value) {
  if constexpr (LaysItselfOut<T>) {
    value = T::read(bytes);
  } else if constexpr (has_fixed_layout<T>) {
    detail::read_fixed(bytes, value);
  } else if constexpr (HasFields<T>) {
    std::apply([&](auto&... field) { (read_field_into(bytes, field), ...); }, T::fields(value));
  } else if constexpr (detail::is_list_of_structs<T>) {
    const auto count = core::unpack<std::uint64_t>(bytes);
    // No element is made before its bytes are there, so that a forged count causes no huge
    // allocation.
    for (std::uint64_t i = 0; i < count; ++i)
      value.push_back(read_field<typename T::value_type>(bytes));
  } else {
    core::unpack_into(bytes, value);
  }
}
/// Reads a value. Throws MalformedMessage if its bytes do not decode (A7).
template <class T>
[[nodiscard]] T read_field(core::Unpacker& bytes) {
  if constexpr (LaysItselfOut<T>) {
    return T::read(bytes);
  } else {
    T value{};
    read_field_into(bytes, value);
    return value;
  }
}

namespace detail {

/// Text that is put together at compile time: first its length is counted, then it is written.
class TextLength {
 public:
  constexpr void add(std::string_view text) { size_ += text.size(); }
  [[nodiscard]] constexpr std::size_t size() const { return size_; }

 private:
  std::size_t size_ = 0;
};
template <std::size_t N>
class Text {
 public:
  constexpr void add(std::string_view text) {
    for (const char c : text) characters_[size_++] = c;
  }
  [[nodiscard]] constexpr std::string_view view() const { return {characters_.data(), size_}; }

 private:
  std::array<char, N> characters_{};
  std::size_t size_ = 0;
};
/// The text that write(text) produces. `write` captures nothing.
template <class Write>
[[nodiscard]] consteval auto text_of(Write) {
  constexpr Write write{};
  constexpr std::size_t size = [] {
    TextLength length;
    Write{}(length);
    return length.size();
  }();
  Text<size> text;
  write(text);
  return text;
}

template <class Out>
constexpr void add_number(Out& text, std::size_t number) {
  if (number >= 10) add_number(text, number / 10);
  const char digit = static_cast<char>('0' + number % 10);
  text.add(std::string_view(&digit, 1));
}

/// Describes the types of the fields, "(unsigned int, roam::Rank:4)". Structs that list their
/// fields are described down to the last field; types that are copied as bytes are given with their
/// size.
template <class T, class Out>
constexpr void describe_layout(Out& text) {
  if constexpr (LaysItselfOut<T>) {
    text.add("(");
    T::describe(text);
    text.add(")");
  } else if constexpr (HasFields<T>) {
    text.add("(");
    bool is_first = true;
    Fields<T>::for_each([&]<class F>(std::type_identity<F>) {
      if (!std::exchange(is_first, false)) text.add(", ");
      describe_layout<F>(text);
    });
    text.add(")");
  } else if constexpr (ListOf<T>::value) {
    text.add("list of ");
    describe_layout<typename ListOf<T>::Element>(text);
  } else {
    text.add(core::type_name<T>());
    if constexpr (!std::is_arithmetic_v<T> && std::is_trivially_copyable_v<T>) {
      text.add(":");
      add_number(text, sizeof(T));
    }
  }
}

}  // namespace detail

}  // namespace roam::am
